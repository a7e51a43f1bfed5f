import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { forEachWithConcurrency } from '../../core/concurrency.ts';
import { GitError } from '../common/index.ts';
import { copyDurably, isLeftover, isMissing, syncPath } from '../files/index.ts';

/** Maximum number of passes over a repository that keeps changing. */
const LOOKS = 20;
const COPIES = 8;
const CHUNK = 1024 * 1024;
/** Files up to this size are compared as a whole, since they are still in the page cache. */
const SMALL = 64 * 1024;
const FOLDERS_AT_ONCE = 32;
/** Object files, whose names determine their content. */
const OBJECT = /^objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/pack-[0-9a-f]{40,64}\.\w+)$/;

/** Derived files that grow over time and are rebuilt if damaged. */
const DERIVED = /^objects\/info\/commit-graphs\/graph-[0-9a-f]+\.stats/;

/** Contents of a repository: folders, and files with a stamp that changes whenever they do. */
interface Listing {
  folders: string[];
  files: Map<string, string>;
}

/**
 * Copies a repository file by file: all objects, reachable or not, refs, HEAD, configuration and pack indexes. Repeats
 * until a pass finds no change in the source and all copies are identical, except derived files. Durable when it
 * fulfils. Refs must not move meanwhile; waits for housekeeping.
 * @param to a folder that does not exist yet
 * @throws GitError `busy` if the source keeps changing, `failed` if the copy keeps differing; the signal's reason;
 *   the file system's error
 */
export async function copyRepository(from: string, to: string, signal: AbortSignal): Promise<void> {
  const first = await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await mkdir(to, { mode: 0o700 });
  let copied = new Map<string, string>();
  let differs = false;
  for (let looks = 1; looks <= LOOKS; looks += 1) {
    signal.throwIfAborted();
    const now = await list(from);
    for (const folder of now.folders) mkdirSync(join(to, folder), { recursive: true });
    const changed = [...now.files].filter(([path, stamp]) => copied.get(path) !== stamp).map(([path]) => path);
    const gone = [...copied.keys()].filter((path) => !now.files.has(path));
    // New objects belong to writes that will be refused, so they are not needed.
    const late = (path: string) => DERIVED.test(path) || (!copied.has(path) && OBJECT.test(path));
    if (looks > 1 && changed.every(late) && gone.every(late)) {
      for (const path of changed) now.files.delete(path);
      const paths = [...now.files.keys()].filter((path) => !DERIVED.test(path));
      const wrong = await different(from, to, paths, signal);
      if (wrong.length === 0) return syncFolders(to, now.folders, first, signal);
      differs = true;
      for (const path of wrong) now.files.delete(path);
    } else {
      differs = false;
      for (const path of gone) await rm(join(to, path), { force: true });
      await forEachWithConcurrency(changed, COPIES, signal, async (path) => {
        await rm(join(to, path), { force: true });
        if ((await copyDurably(join(from, path), join(to, path))) === null) now.files.delete(path);
      });
    }
    copied = now.files;
  }
  throw differs
    ? new GitError('failed', 'the copy still differs from its source')
    : new GitError('busy', `${from} keeps changing`);
}

async function list(dir: string): Promise<Listing> {
  const listing: Listing = { folders: [], files: new Map() };
  const left = ['.'];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    try {
      // Synchronous: asynchronous calls would queue up a thousand times on a busy server.
      for (const entry of readdirSync(join(dir, folder), { withFileTypes: true })) {
        const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
        if (isLeftover(entry.name, entry.isDirectory(), folder)) continue;
        if (entry.isDirectory()) {
          listing.folders.push(path);
          left.push(path);
        } else if (entry.isFile()) {
          const { ino, size, mtimeNs } = statSync(join(dir, path), { bigint: true });
          listing.files.set(path, `${ino} ${size} ${mtimeNs}`);
        }
      }
    } catch (error) {
      // Housekeeping removes files that it has packed. A missing repository is an error.
      if (!isMissing(error) || folder === '.') throw error;
    }
    if (left.length % FOLDERS_AT_ONCE === 0) await turn();
  }
  return listing;
}

/** Files whose content differs between two folders. */
async function different(a: string, b: string, paths: readonly string[], signal: AbortSignal): Promise<string[]> {
  const wrong: string[] = [];
  await forEachWithConcurrency(paths, COPIES, signal, async (path) => {
    if (!(await sameBytes(join(a, path), join(b, path), signal))) wrong.push(path);
  });
  return wrong;
}

async function sameBytes(a: string, b: string, signal: AbortSignal): Promise<boolean> {
  const files: Awaited<ReturnType<typeof open>>[] = [];
  try {
    if (statSync(a).size <= SMALL) {
      await turn();
      return readFileSync(a).equals(readFileSync(b));
    }
    for (const path of [a, b]) files.push(await open(path, 'r'));
    const [one, other] = files as [(typeof files)[0], (typeof files)[0]];
    const { size } = await one.stat();
    if ((await other.stat()).size !== size) return false;
    const length = Math.min(Math.max(size, 1), CHUNK);
    const [left, right] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)];
    for (let at = 0; at < size; ) {
      signal.throwIfAborted();
      const [{ bytesRead }, { bytesRead: others }] = await Promise.all([
        one.read(left, 0, length, at),
        other.read(right, 0, length, at),
      ]);
      if (bytesRead === 0 || bytesRead !== others) return false;
      if (!left.subarray(0, bytesRead).equals(right.subarray(0, bytesRead))) return false;
      at += bytesRead;
    }
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  } finally {
    for (const file of files) await file.close();
  }
}

/** Makes the names of all files durable, up to the first folder that was created. */
async function syncFolders(
  to: string,
  folders: readonly string[],
  first: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  await forEachWithConcurrency(folders, COPIES, signal, (folder) => syncPath(join(to, folder)));
  await syncPath(to);
  const top = first === undefined ? dirname(to) : dirname(first);
  for (let at = dirname(to); at.length >= top.length; at = dirname(at)) await syncPath(at);
}
