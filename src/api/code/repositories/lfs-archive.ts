import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Entry, extract, type Headers, pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import { signalGroup, startChild, whenStarted } from '../../../git/process/index.ts';
import { MAX_POINTER_BYTES, parsePointer } from '../../../git/trees/index.ts';

/** Format of an archive. */
export type Packing = 'zip' | 'tar' | 'tar.gz' | 'tar.bz2';

/** Opens an LFS object; null if it is missing. */
export type OpenObject = (oid: string, size: number) => Promise<Readable | null>;

/** Writes the entries of an archive in order. */
interface Target {
  output: Readable;
  /** Resolves when the content has been read completely. */
  add(header: Headers, content: Readable): Promise<void>;
  end(): void;
  fail(error: Error): void;
}

const LINK_MODE = 0o120_000;
const FILE_MODE = 0o100_000;

function zipTarget(): Target {
  const zip = new ZipFile();
  const output = Readable.from(zip.outputStream as AsyncIterable<Buffer>, { objectMode: false });
  zip.on('error', (error) => output.destroy(error));
  return {
    output,
    add: async ({ name, mtime, mode = 0, type, linkname }, content) => {
      const options = { mtime: mtime ?? new Date(0), mode: mode | (type === 'symlink' ? LINK_MODE : FILE_MODE) };
      if (type === 'directory') {
        content.resume();
        zip.addEmptyDirectory(name, { mtime: options.mtime });
      } else if (type === 'symlink') {
        content.resume();
        zip.addBuffer(Buffer.from(linkname ?? ''), name, options);
      } else {
        zip.addReadStream(content, name, options);
        await finished(content, { writable: false });
      }
    },
    end: () => zip.end(),
    fail: (error) => output.destroy(error),
  };
}

function tarTarget(packing: Exclude<Packing, 'zip'>): Target {
  const tar = pack();
  const fail = (error: Error) => tar.destroy(error);
  return {
    output: packing === 'tar' ? Readable.from(tar, { objectMode: false }) : compressed(tar, packing),
    add: async (header, content) => {
      const entry = tar.entry(header);
      if (entry === undefined) throw new Error('the archive is closed');
      await pipeline(content, entry);
    },
    end: () => tar.finalize(),
    fail,
  };
}

function compressed(tar: ReturnType<typeof pack>, packing: 'tar.gz' | 'tar.bz2'): Readable {
  const output = new PassThrough();
  // It may fail before anything reads it.
  tar.on('error', () => {});
  // Failures are errors of the output.
  const run = packing === 'tar.gz' ? pipeline(tar, createGzip(), output) : throughBzip2(tar, output);
  run.catch((error: Error) => output.destroy(error));
  return output;
}

async function throughBzip2(tar: ReturnType<typeof pack>, output: PassThrough): Promise<void> {
  const env = { PATH: process.env.PATH ?? '' };
  const child = startChild({ command: 'bzip2', args: ['-c'], cwd: '/', env, pipes: 3 });
  child.on('error', () => {});
  child.stderr!.resume();
  try {
    await whenStarted(child);
    if (tar.destroyed || output.destroyed) throw new Error('the archive was aborted');
    await Promise.all([pipeline(tar, child.stdin!), pipeline(child.stdout!, output)]);
  } finally {
    signalGroup(child, 'SIGKILL');
  }
}

/** Replaces an LFS pointer by its object, if the object exists. */
async function resolved(entry: Entry, open: OpenObject): Promise<{ header: Headers; content: Readable }> {
  const { header } = entry;
  const content = Readable.from(entry, { objectMode: false });
  if (header.type !== 'file' || (header.size ?? 0) >= MAX_POINTER_BYTES) return { header, content };
  const bytes = await buffer(content);
  const pointer = parsePointer(bytes);
  const object = pointer === null ? null : await open(pointer.oid, pointer.size);
  if (pointer === null || object === null) return { header, content: Readable.from([bytes], { objectMode: false }) };
  // A size of the pointer would also be in the extended header.
  return { header: { ...header, size: pointer.size, pax: null } as Headers, content: object };
}

/**
 * Converts an archive to one with LFS objects instead of pointers, as a stream: no file is ever completely in memory.
 * Destroying it stops everything behind it; failures are errors of the stream.
 * @param source archive from git, in tar format
 * @param open opens an object by its SHA-256 and size
 */
export function withLfsObjects(source: Readable, packing: Packing, open: OpenObject): Readable {
  const target = packing === 'zip' ? zipTarget() : tarTarget(packing);
  const entries = extract();
  const reading = pipeline(source, entries);
  let current: Readable | undefined;
  const copy = async () => {
    for await (const entry of entries as AsyncIterable<Entry>) {
      const { header, content } = await resolved(entry, open);
      current = content;
      if (target.output.destroyed) content.destroy();
      await target.add(header, content);
    }
    await reading;
    target.end();
  };
  reading.catch(() => {});
  copy().catch((error: Error) => {
    source.destroy();
    target.fail(error);
  });
  target.output.once('close', () => {
    source.destroy();
    current?.destroy();
  });
  return target.output;
}
