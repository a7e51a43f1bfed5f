import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing, isTaken, syncPath, writeSynced } from './durable.ts';
import { GitError } from './git.errors.ts';
import type { ObjectFormat } from './git.objects.ts';
import { runGit } from './git.process.ts';
import { isValidBranchName } from './ref-name.ts';

const CLONE_MS = 30 * 60_000;
/** Names of folders that are being made or removed. */
const MAKING = '.making-';
const REMOVING = '.removing-';

/** The settings that every repository begins with; they name its hash and hold nothing of anybody. */
export function configText(format: ObjectFormat): string {
  const core = '[core]\n\trepositoryformatversion = ';
  const rest = '\n\tfilemode = true\n\tbare = true\n\tlogallrefupdates = false\n';
  return format === 'sha1' ? `${core}0${rest}` : `${core}1${rest}[extensions]\n\tobjectformat = sha256\n`;
}

async function makeFolders(dir: string): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    await mkdir(join(dir, folder), { recursive: true });
  }
}

/** Syncs every folder of a repository, and with `files` every file, deepest first. */
async function syncAll(dir: string, files: boolean): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncAll(join(dir, entry.name), files);
    else if (files && entry.isFile()) await syncPath(join(dir, entry.name));
  }
  await syncPath(dir);
}

/** Makes a repository beside its place by `make` and moves it there in one step; nothing is left where that fails. */
async function makeInPlace(dir: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const parent = dirname(dir);
  const first = await mkdir(parent, { recursive: true });
  const temporary = join(parent, `${MAKING}${basename(dir)}-${randomUUID()}`);
  try {
    await mkdir(temporary, { mode: 0o700 });
    await make(temporary);
    await rename(temporary, dir);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (isTaken(error)) throw new GitError('conflict', `${dir} exists already`);
    throw error;
  }
  await syncPath(parent);
  // Parents that had to be made are themselves entries of folders.
  for (let at = parent; first !== undefined && at.length >= first.length; at = dirname(at)) await syncPath(dirname(at));
}

/**
 * Makes a bare repository and fills it; nobody sees it before it is complete, and nothing is left where that fails.
 * Durable when it fulfils.
 * @param options `head`: text of its HEAD; `fill`: writes objects and refs into the folder that it is given
 * @throws GitError `conflict` where `dir` is there already; what `fill` throws
 */
export async function makeRepository(
  dir: string,
  options: { head: string; format: ObjectFormat; fill?: (temporary: string) => Promise<void> },
): Promise<void> {
  await makeInPlace(dir, async (temporary) => {
    await makeFolders(temporary);
    await writeSynced(join(temporary, 'HEAD'), options.head);
    await writeSynced(join(temporary, 'config'), configText(options.format));
    await options.fill?.(temporary);
    await syncAll(temporary, options.fill !== undefined);
  });
}

/**
 * Makes an empty bare repository, durable when it fulfils. Starts no process.
 * @param dir where; folders above it are made as needed
 * @throws GitError `conflict` where `dir` is there already and not empty, `invalid` for a bad branch name
 */
export async function createRepository(
  dir: string,
  options: { defaultBranch: string; objectFormat?: ObjectFormat },
): Promise<void> {
  if (!isValidBranchName(options.defaultBranch)) throw new GitError('invalid', 'not a valid branch name');
  await makeRepository(dir, {
    head: `ref: refs/heads/${options.defaultBranch}\n`,
    format: options.objectFormat ?? 'sha1',
  });
}

/**
 * Copies branches, tags and their history into a new bare repository that does not depend on the source afterwards;
 * durable when it fulfils.
 * @param options `branch`: only this one, with the tags in its history, and HEAD names it; `signal` stops the copy
 * @throws GitError `conflict` where `to` is there already, `invalid` for a bad branch name, `corrupt`, `failed`, `timeout`,
 *   `aborted`
 */
export async function cloneRepository(
  from: string,
  to: string,
  options: { branch?: string; signal?: AbortSignal } = {},
): Promise<void> {
  const { branch } = options;
  if (branch !== undefined && !isValidBranchName(branch)) throw new GitError('invalid', 'not a valid branch name');
  const refspecs =
    branch === undefined
      ? ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
      : [`+refs/heads/${branch}:refs/heads/${branch}`];
  const tags = branch === undefined ? ['--no-tags'] : [];
  const fetch = ['fetch', '--quiet', ...tags, '--no-write-fetch-head', '--no-auto-maintenance', '--atomic'];
  // The source's objects were checked when they came in; kept as one pack.
  const config = ['-c', 'fetch.unpackLimit=1', '-c', 'fetch.fsckObjects=false'];
  await makeRepository(to, {
    head: branch === undefined ? await readFile(join(from, 'HEAD'), 'utf8') : `ref: refs/heads/${branch}\n`,
    format: await objectFormatOf(from),
    fill: async (temporary) => {
      await runGit([...config, ...fetch, '--end-of-options', from, ...refspecs], {
        gitDir: temporary,
        cpuMs: CLONE_MS,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      }).catch((error: unknown) => {
        // It has just been offered by the same process: it cannot be read.
        if (error instanceof GitError && /not our ref/.test(error.message))
          throw new GitError('corrupt', error.message);
        throw error;
      });
    },
  });
}

/** The hash a repository names its objects with, from its configuration file. */
export async function objectFormatOf(dir: string): Promise<ObjectFormat> {
  const text = await readFile(join(dir, 'config'), 'utf8');
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(text) ? 'sha256' : 'sha1';
}

/**
 * Removes a repository: out of its place in one step, then from the disk, with what ended processes have left of it
 * half made or half removed. Fulfils also where there is none.
 */
export async function removeRepository(dir: string): Promise<void> {
  const parent = dirname(dir);
  const doomed = join(parent, `${REMOVING}${basename(dir)}-${randomUUID()}`);
  try {
    await rename(dir, doomed);
    await syncPath(parent);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const partial = [MAKING, REMOVING].map((prefix) => `${prefix}${basename(dir)}-`);
  for (const name of await namesIn(parent)) {
    if (!partial.some((start) => name.startsWith(start))) continue;
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Makes HEAD name a branch, which need not exist; durable when it fulfils.
 * @param fence asked before the file changes: throws where another process may have taken the lock for orphaned and removed it, by which
 *   nothing changes
 * @throws GitError `invalid` for a bad branch name, `locked` where another process changes HEAD; what `fence` throws
 */
export async function setHead(dir: string, branch: string, fence?: () => Promise<void>): Promise<void> {
  if (!isValidBranchName(branch)) throw new GitError('invalid', 'not a valid branch name');
  const lock = join(dir, 'HEAD.lock');
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(lock, 'wx', 0o644);
  } catch (error) {
    if (isTaken(error)) throw new GitError('locked', 'HEAD is locked');
    throw error;
  }
  try {
    await handle.writeFile(`ref: refs/heads/${branch}\n`);
    await handle.sync();
    await fence?.();
    await rename(lock, join(dir, 'HEAD'));
  } catch (error) {
    // It stays where it may be another writer's by now.
    await fence?.();
    await unlink(lock).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
  await syncPath(dir);
}

/** The bytes that all files of a repository take, without following symbolic links. */
export async function repositorySize(dir: string): Promise<number> {
  let bytes = 0;
  const folders = [dir];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for await (const entry of await opendir(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (entry.isFile()) bytes += (await stat(path)).size;
      }
    } catch (error) {
      // A running clean-up removes files and folders under the walk.
      if (!isMissing(error)) throw error;
    }
  }
  return bytes;
}
