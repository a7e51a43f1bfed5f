import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ChartError } from '../../../src/api/packages/helm/chart.ts';
import { chartOf } from '../../../src/api/packages/helm/helm.archive.ts';
import { packageJsonOf } from '../../../src/api/packages/npm/check-manifest.ts';
import { InvalidImportFile } from '../../../src/import-export/imports/import.lines.ts';
import { contentOf, tarFiles } from '../../../src/import-export/imports/import.tar.ts';
import type { BlobStore, StoredBlob } from '../../../src/storage/blob-store.ts';
import { ArchiveError } from '../../../src/storage/zip/archive-error.ts';
import { Archives } from '../../../src/storage/zip/zip.archives.ts';
import type { Fuzzer, Subject } from './fuzzer.ts';
import { mutated, pieces } from './mutate.ts';

const MIB = 1024 * 1024;
const PAGE = { offset: 0, size: 100 };
/** What comes out of a small archive. */
const MAX_UNPACKED = 64 * MIB;

/** @throws what is no `known` error */
async function unless(known: (error: unknown) => boolean, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!known(error)) throw error;
  }
}

/** What reads archives, and keeps directories, as a server does; the blob store holds the archive at hand alone. */
function zipReader(): (bytes: Buffer) => Promise<void> {
  let held: Buffer = Buffer.alloc(0);
  let count = 0;
  const store: Pick<BlobStore, 'read' | 'get'> = {
    read: async (_sha256, start, length) => held.subarray(start, start + length),
    get: async (_sha256, range) =>
      Readable.from([range === undefined ? held : held.subarray(range.start, (range.end ?? held.length) + 1)]),
  };
  const archives = new Archives(store as BlobStore, MIB);
  return (bytes) => {
    held = bytes;
    count += 1;
    return readZip(archives, { sha256: String(count).padStart(64, '0'), size: bytes.length });
  };
}

async function readZip(archives: Archives, blob: StoredBlob): Promise<void> {
  const known = (error: unknown) => error instanceof ArchiveError;
  await unless(known, async () => {
    const directory = await archives.directory(blob);
    const listing = await directory.list('', true, PAGE);
    for (const { path } of listing?.entries ?? []) {
      assert.ok(!path.startsWith('/') && !path.split('/').includes('..'), `a path that leads out: ${path}`);
      const entry = directory.find(path);
      if (entry === undefined) continue;
      await unless(known, async () => {
        const content = await buffer(await archives.open(blob, directory, entry));
        assert.equal(content.length, entry.size, 'another length than it says');
      });
    }
  });
}

/** Zip archives of jobs. */
export const zip: Fuzzer = {
  name: 'zip',
  cases: 30_000,
  caseMs: 500,
  open(corpus): Subject {
    const all = corpus.map(({ bytes }) => bytes);
    const read = zipReader();
    return {
      replay: ({ bytes }) => read(bytes),
      one: (random) => read(mutated(random.pick(all), random, all)),
    };
  },
};

/** Everything that reads tars reads this one. @param chunks of it, without gzip */
async function readTar(chunks: readonly Buffer[]): Promise<void> {
  await unless(
    (error) => error instanceof InvalidImportFile,
    async () => {
      let bytes = 0;
      for await (const { entry } of tarFiles(Readable.from(chunks))) {
        for await (const chunk of contentOf(entry)) bytes += chunk.length;
        assert.ok(bytes <= MAX_UNPACKED, 'more comes out than went in');
      }
    },
  );
  const packed = gzipSync(Buffer.concat(chunks), { level: 1 });
  await readGzip(packed);
}

async function readGzip(packed: Buffer): Promise<void> {
  await unless(
    (error) => error instanceof ChartError,
    () => chartOf(Readable.from([packed])),
  );
  await packageJsonOf(Readable.from([packed]), MIB, new AbortController().signal);
}

/** Tars of exports, charts and npm packages. */
export const tar: Fuzzer = {
  name: 'tar',
  cases: 20_000,
  caseMs: 500,
  open(corpus): Subject {
    const all = corpus.map(({ bytes }) => bytes);
    const packed = all.map((bytes) => gzipSync(bytes));
    return {
      replay: ({ bytes }) => readTar([bytes]),
      one(random) {
        if (random.below(6) === 0) return readGzip(mutated(random.pick(packed), random, packed));
        const changed = mutated(random.pick(all), random, all);
        return readTar(pieces(random.below(2) === 0 ? changed : withSums(changed), random));
      },
    };
  },
};

const BLOCK = 512;
const SUM_AT = 148;
const SUM_BYTES = 8;

/** Puts right sums into the headers of a tar, so that what was changed in them is believed. */
function withSums(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let at = 0; at + BLOCK <= changed.length; at += BLOCK) {
    const header = changed.subarray(at, at + BLOCK);
    if (header.toString('latin1', 257, 262) !== 'ustar') continue;
    header.fill(' ', SUM_AT, SUM_AT + SUM_BYTES);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, SUM_AT, 'latin1');
  }
  return changed;
}
