import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FolderMap } from '../../core/folder-map.ts';
import { isUnsynced } from '../../core/unsynced-folders.ts';

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

/** Where git children of throw-away data are told not to flush. */
const SYNC = '\tfsync = committed,reference\n';
const NO_SYNC = '\tfsync = none\n';

/** Files with the configuration, by the folders of the servers that use them. */
const files = new FolderMap<string>();

/**
 * Writes the configuration of git children to a file and uses it for every later child in these folders, and for those in
 * no folder of a server.
 * @param directory folder of the running server (its data folder); created if missing
 * @param others further folders with repositories of it
 * @returns a function that is called when the server has ended, after which the folder may be removed
 */
export function useGitConfig(directory: string, others: readonly string[] = []): () => void {
  const path = join(directory, 'gitconfig');
  mkdirSync(directory, { recursive: true });
  const content = isUnsynced(directory) ? CONFIG.replace(SYNC, NO_SYNC) : CONFIG;
  let current = '';
  try {
    current = readFileSync(path, 'utf8');
  } catch {}
  if (current !== content) {
    writeFileSync(path, content);
    if (!isUnsynced(directory)) flush(path);
  }
  const releases = [directory, ...others].map((folder) => files.add(folder, path));
  return () => {
    for (const release of releases) release();
  };
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** The configuration of children in a folder. */
function configOf(folder: string | undefined): string {
  const known = (folder === undefined ? undefined : files.of(folder)) ?? files.latest;
  if (known !== undefined) return known;
  useGitConfig(join(tmpdir(), `stithy-git-${process.pid}`));
  return files.latest!;
}

/**
 * A folder with access for this user only, for temporary files of git children.
 * @param gitDir the repository that they work on, if there is one
 */
export function privateFolder(gitDir?: string): string {
  const parent = join(dirname(configOf(gitDir)), 'git-children');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(parent, 'x-'));
}

/**
 * Complete environment of a git child. Only PATH is inherited.
 * @param gitDir the repository that it works on, if there is one
 */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}, gitDir?: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: configOf(gitDir),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
    ...extra,
  };
}
