import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { encodeBytes, GitError } from '../common/index.ts';
import { isMissing } from '../files/index.ts';
import { objectFormatOf } from '../objects/index.ts';
import type { Repository } from './git.repository.ts';
import { configText } from './git.repository-files.ts';
import { TAR_END, tarHeader, tarPadding } from './git.tar.ts';

const CHUNK = 256 * 1024;
/** Maximum number of passes for new packs; each finds fewer. */
const MAX_LOOKS = 20;
const FOLDERS = ['objects/', 'objects/info/', 'objects/pack/', 'refs/', 'refs/heads/', 'refs/tags/'];

export interface SnapshotOptions {
  /** Aborts the snapshot. */
  signal: AbortSignal;
  /** Time of the snapshot in milliseconds since 1970. */
  now: number;
}

/**
 * Streams a bare repository as a tar that git can use after unpacking: its refs at one instant, every object that
 * existed by then, and a minimal configuration. Serves `GET /projects/:id/snapshot`. Only reads files, in chunks;
 * destroying the stream closes them.
 * @throws GitError `corrupt` for a repository without a HEAD; read errors as errors of the stream
 */
export async function snapshotRepository(repo: Repository, options: SnapshotOptions): Promise<Readable> {
  const head = await repo.refs.head();
  if (head === null) throw new GitError('corrupt', `HEAD of ${repo.dir} is not a branch`);
  const refs = await repo.refs.list('refs/');
  const config = configText(await objectFormatOf(repo.dir));
  const lines = refs.map(({ name, oid }) => Buffer.concat([Buffer.from(`${oid} `), encodeBytes(name), NEWLINE]));
  const texts: [string, Buffer][] = [
    ['HEAD', Buffer.concat([Buffer.from('ref: refs/heads/'), encodeBytes(head), NEWLINE])],
    ['config', Buffer.from(config)],
    ['packed-refs', Buffer.concat(lines)],
  ];
  const seconds = options.now / 1000;
  return Readable.from(members(repo.dir, texts, seconds, options.signal), { objectMode: false, highWaterMark: CHUNK });
}

const NEWLINE = Buffer.from('\n');

async function* members(
  dir: string,
  texts: readonly [string, Buffer][],
  now: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const folder of FOLDERS) yield tarHeader(folder, 0, now);
  for (const [name, data] of texts) {
    yield tarHeader(name, data.length, now);
    yield data;
    yield tarPadding(data.length);
  }
  // Housekeeping moves objects from loose files into packs and from packs into larger ones, and deletes none. Reading
  // in this order, and packs until there is no new one, misses nothing.
  for (const folder of await namesIn(join(dir, 'objects'), /^[0-9a-f]{2}$/)) {
    for (const name of await namesIn(join(dir, 'objects', folder), /^[0-9a-f]{38,62}$/)) {
      yield* file(dir, `objects/${folder}/${name}`, now, signal);
    }
  }
  const sent = new Set<string>();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const packs = await namesIn(join(dir, 'objects/pack'), /^pack-[0-9a-f]{40,64}\.pack$/);
    const others = packs.filter((name) => !sent.has(name));
    if (others.length === 0) {
      yield TAR_END;
      return;
    }
    for (const name of others) {
      sent.add(name);
      yield* file(dir, `objects/pack/${name}`, now, signal);
      yield* file(dir, `objects/pack/${name.replace(/pack$/, 'idx')}`, now, signal);
    }
  }
  throw new GitError('busy', 'the repository is being repacked too often');
}

/** Streams a file; nothing if it no longer exists. */
async function* file(dir: string, name: string, now: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const handle = await openFile(join(dir, name));
  if (handle === null) return;
  try {
    const { size } = await handle.stat();
    yield tarHeader(name, size, now);
    for (let at = 0; at < size; ) {
      signal.throwIfAborted();
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(Math.min(CHUNK, size - at)));
      if (bytesRead === 0) throw new GitError('corrupt', `${name} was truncated while it was read`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    yield tarPadding(size);
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function namesIn(dir: string, pattern: RegExp): Promise<string[]> {
  try {
    return (await readdir(dir)).filter((name) => pattern.test(name)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
