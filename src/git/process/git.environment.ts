import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The only configuration that git children see, except some keys of the repository: neither the machine's nor the
 * user's applies. `attr.tree` names a missing ref, since some versions of git (2.43 to 2.45) read attributes from HEAD,
 * which would differ from the in-process comparison (`native-diff.ts`).
 */
const CONFIG = `[core]
	fsync = committed,reference
	fsyncMethod = fsync
	hooksPath = /dev/null
	commitGraph = true
	quotePath = false
	protectHFS = true
	protectNTFS = true
	packedGitLimit = 256m
	bigFileThreshold = 32m
	deltaBaseCacheLimit = 32m
[attr]
	tree = refs/none
[safe]
	directory = *
[transfer]
	fsckObjects = true
	hideRefs = refs/stithy
[receive]
	fsckObjects = true
	advertisePushOptions = true
	unpackLimit = 100
	autogc = false
	procReceiveRefs = refs
	denyDeletes = false
	denyNonFastForwards = false
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[gc]
	auto = 0
[commitGraph]
	readChangedPaths = true
[protocol]
	allow = never
[protocol "file"]
	allow = user
[protocol "http"]
	allow = always
[protocol "https"]
	allow = always
[protocol "ssh"]
	allow = always
[protocol "git"]
	allow = user
[diff]
	renames = true
	algorithm = myers
[user]
	useConfigOnly = true
[pack]
	threads = 2
	windowMemory = 64m
	deltaCacheSize = 64m
	writeBitmapHashCache = true
`;

let configPath: string | undefined;

/**
 * Writes the configuration of git children to a file and uses it for every later child.
 * @param directory folder of the running server (its data folder); created if missing
 */
export function useGitConfig(directory: string): void {
  const path = join(directory, 'gitconfig');
  mkdirSync(dirname(path), { recursive: true });
  let current = '';
  try {
    current = readFileSync(path, 'utf8');
  } catch {}
  if (current !== CONFIG) {
    writeFileSync(path, CONFIG);
    const handle = openSync(path, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }
  configPath = path;
}

/** A folder with access for this user only, for temporary files of git children. */
export function privateFolder(): string {
  if (configPath === undefined) gitEnvironment();
  const parent = join(dirname(configPath!), 'git-children');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(parent, 'x-'));
}

/** Complete environment of a git child. Only PATH is inherited. */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  if (configPath === undefined) useGitConfig(join(tmpdir(), `stithy-git-${process.pid}`));
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: configPath!,
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
    ...extra,
  };
}
