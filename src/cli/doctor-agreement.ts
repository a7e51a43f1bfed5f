import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { RepositoryPool, Storages } from '../git/repository/index.ts';
import { refInconsistencies } from '../repositories/ref-consistency.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { DiskBlobStore } from '../storage/disk-blob-store.ts';
import { type UsedBlob, usedBlobs } from '../storage/unused-blobs.ts';

type Say = (good: boolean, text: string) => void;

const SHOWN = 20;

/**
 * Compares the database with the refs of all repositories and with the blobs, for `stithy doctor`.
 * @param quick checks that the blobs exist, without reading them
 */
export async function checkAgreement(config: Config, { db }: Database, quick: boolean, say: Say): Promise<void> {
  const pool = new RepositoryPool({ maxProcesses: 1 });
  try {
    const problems = await refInconsistencies(db, new Storages(config.storages, pool));
    report(say, problems, 'Database and refs agree.', 'Database and repositories do not agree');
  } finally {
    await pool.close();
  }
  const blobs = new DiskBlobStore(join(config.dataDir, 'blobs'));
  const problems: string[] = [];
  let count = 0;
  for await (const blob of usedBlobs(db)) {
    count += 1;
    const problem = await problemOf(blobs, blob, quick);
    if (problem !== null) problems.push(`${blob.use} ${problem}`);
  }
  report(
    say,
    problems,
    `${count} files of uploads, avatars, LFS and jobs ${quick ? 'exist' : 'are intact'}.`,
    'A file is damaged or missing',
  );
}

function report(say: Say, problems: readonly string[], good: string, bad: string): void {
  for (const text of problems.slice(0, SHOWN)) say(false, `${bad}: ${text}.`);
  if (problems.length > SHOWN) say(false, `${problems.length - SHOWN} further problems of this kind.`);
  if (problems.length === 0) say(true, good);
}

async function problemOf(blobs: BlobStore, { sha256, size }: UsedBlob, quick: boolean): Promise<string | null> {
  const stored = await blobs.stat(sha256);
  if (stored === null) return 'is missing';
  if (size !== null && stored.size !== size) return `has ${stored.size} bytes instead of ${size}`;
  if (quick) return null;
  const bytes = await blobs.get(sha256);
  if (bytes === null) return 'is missing';
  const hash = createHash('sha256');
  await pipeline(bytes, hash);
  return hash.digest('hex') === sha256 ? null : 'is damaged';
}
