import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { forEachWithConcurrency } from '../core/concurrency.ts';
import { copyDurably } from './copy-files.ts';
import { isMissing, syncPath } from './durable.ts';
import { GitError } from './git.errors.ts';
import { isLeftover } from './stale-locks.ts';

/** So often a repository is looked at again that does not come to rest. */
const LOOKS = 20;
const COPIES = 8;
const CHUNK = 1024 * 1024;
/** Files up to this size are compared in one go: they have just been read. */
const SMALL = 64 * 1024;
const FOLDERS_AT_ONCE = 32;
/** Files that hold objects; their names say what is in them. */
const OBJECT = /^objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38,62}|pack\/pack-[0-9a-f]{40,64}\.\w+)$/;

/** What is made bit by bit of what is there, and made anew where it is torn. */
const DERIVED = /^objects\/info\/commit-graphs\/graph-[0-9a-f]+\.stats/;

/** What is in a repository: its folders, and its files by what changes whenever they do. */
interface Listing {
  folders: string[];
  files: Map<string, string>;
}

/**
 * Copies a repository with all it holds, be it reachable or not, refs, HEAD, configuration and indexes over packs alike: file by
 * file, until a look at the source finds nothing new and every file there has the same bytes here, but for what is derived of them.
 * Durable when it fulfils.
 * Nobody may move refs meanwhile; upkeep is waited for.
 * @param to a folder that is not there yet
 * @throws GitError `busy` where the source does not come to rest, `failed` where the copy keeps differing; the signal's
 *   reason; the file system's error
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
    // Objects that come in now are of writes that will be refused: nothing needs them.
    const late = (path: string) => DERIVED.test(path) || (!copied.has(path) && OBJECT.test(path));
    if (looks > 1 && changed.every(late) && gone.every(late)) {
      for (const path of changed) now.files.delete(path);
      const wanted = [...now.files.keys()].filter((path) => !DERIVED.test(path));
      const wrong = await different(from, to, wanted, signal);
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
    ? new GitError('failed', 'the copy does not become what the source is')
    : new GitError('busy', `${from} does not come to rest`);
}

async function list(dir: string): Promise<Listing> {
  const listing: Listing = { folders: [], files: new Map() };
  const left = ['.'];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    try {
      // A busy server would wait for its turn at each of a thousand names.
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
      // Upkeep removes what it has packed; a repository that is gone is another matter.
      if (!isMissing(error) || folder === '.') throw error;
    }
    if (left.length % FOLDERS_AT_ONCE === 0) await turn();
  }
  return listing;
}

/** The files that do not have the same bytes in both folders. */
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

/** Makes the names of all files durable, up to the first folder that had to be made. */
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
