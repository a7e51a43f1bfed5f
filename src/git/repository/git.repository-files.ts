import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncHandle } from '../../core/unsynced-folders.ts';
import { GitError, isValidBranchName, type ObjectFormat } from '../common/index.ts';
import { isMissing, isTaken, syncPath, writeSynced } from '../files/index.ts';
import { objectFormatOf } from '../objects/index.ts';
import { runGit } from '../process/index.ts';

const CLONE_MS = 30 * 60_000;
/** Prefix of folders that are being created or removed. */
const MAKING = '.making-';
const REMOVING = '.removing-';

/** Initial configuration of a repository. It only depends on the object format. */
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

/**
 * Creates a repository in a temporary folder with `make` and renames it atomically. Leaves nothing behind on failure.
 */
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
    if (isTaken(error)) throw new GitError('conflict', `${dir} already exists`);
    throw error;
  }
  await syncPath(parent);
  // New parent folders are entries of folders themselves.
  for (let at = parent; first !== undefined && at.length >= first.length; at = dirname(at)) await syncPath(dirname(at));
}

/**
 * Creates and fills a bare repository. It becomes visible only when complete, and failures leave nothing behind.
 * Durable when it fulfils.
 * @param options `head`: content of its HEAD; `fill`: writes objects and refs into the given folder
 * @throws GitError `conflict` if `dir` exists; errors of `fill`
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
 * Creates an empty bare repository, without a process. Durable when it fulfils.
 * @param dir path; missing parent folders are created
 * @throws GitError `conflict` if `dir` exists and is not empty, `invalid` for an invalid branch name
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
 * Copies branches and tags with their history into a new, independent bare repository. Durable when it fulfils.
 * @param options `branch`: only this one, with the tags in its history, and as HEAD; `signal` aborts the copy
 * @throws GitError `conflict` if `to` exists, `invalid` for an invalid branch name, `corrupt`, `failed`, `timeout`,
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
  // The objects were checked when the source received them, and are kept as one pack.
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
        // The same process has just advertised it, so it is unreadable.
        if (error instanceof GitError && /not our ref/.test(error.message))
          throw new GitError('corrupt', error.message);
        throw error;
      });
    },
  });
}

/**
 * Removes a repository: renames it atomically, then deletes it, together with leftovers of earlier creations and
 * removals. Fulfils even if it does not exist.
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
 * Makes HEAD point to a branch, which need not exist. Durable when it fulfils.
 * @param fence called before the file changes: throws if another process may have removed the lock as orphaned; then
 *   nothing changes
 * @throws GitError `invalid` for an invalid branch name, `locked` if another process changes HEAD; errors of `fence`
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
    await syncHandle(handle, lock);
    await fence?.();
    await rename(lock, join(dir, 'HEAD'));
  } catch (error) {
    // Not removed if it may belong to another writer by now.
    await fence?.();
    await unlink(lock).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
  await syncPath(dir);
}

/** Total size in bytes of all files of a repository, without following symbolic links. */
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
      // Concurrent housekeeping removes files and folders.
      if (!isMissing(error)) throw error;
    }
  }
  return bytes;
}
