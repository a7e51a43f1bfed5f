import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { ZipFile } from 'yazl';
import type { Figure } from './figures.ts';
import { median } from './git.ts';
import { growth } from './growth.ts';
import { seedFolder } from './seed-folder.ts';
import { startServer, TOKEN } from './server.ts';

const ROUNDS = 5;
const WARM = 200;
const FILES = 3_000;
const FILE_BYTES = 20_000;
const LARGE_BYTES = 40 * 1024 * 1024;
const at = (n: number) => `build/part-${n % 30}/file-${n}.bin`;

/**
 * Seeds a new data folder: a job with an archive of 100 MB, 3,000 small files and a large one.
 * @returns path of its artifacts
 */
function seedArchive(dataDir: string): Promise<string> {
  return seedFolder(dataDir, 'built', async (deps, project) => {
    const { db } = deps;
    const zip = new ZipFile();
    for (let n = 0; n < FILES; n += 1) {
      zip.addBuffer(randomBytes(FILE_BYTES), at(n));
      if (n === FILES / 2) zip.addBuffer(randomBytes(LARGE_BYTES), 'build/large.bin');
    }
    zip.end();
    const blob = await deps.blobs.put(zip.outputStream as never, { maxBytes: 1e9 });
    const now = deps.clock.now().toISOString();
    const shared = { project_id: project.id, sha: 'a'.repeat(40), ref: 'main', status: 'success', user_id: 1 } as const;
    const pipeline = await db
      .insertInto('pipelines')
      .values({ ...shared, iid: 1, source: 'push', created_at: now, updated_at: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const job = await db
      .insertInto('ci_jobs')
      .values({ ...shared, kind: 'build', pipeline_id: pipeline.id, name: 'build', created_at: now, updated_at: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const file = { file_type: 'archive', file_format: 'zip', filename: 'artifacts.zip', accessibility: 'all' } as const;
    await db
      .insertInto('ci_job_artifacts')
      .values({ ...file, ...blob, job_id: job.id, project_id: project.id, expire_at: null, created_at: now })
      .execute();
    return `/api/v4/projects/${project.id}/jobs/${job.id}/artifacts`;
  });
}

/** Milliseconds until the first byte of a response, which is then read to its end. */
function firstByte(url: string): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'PRIVATE-TOKEN': TOKEN } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      let ms: number | undefined;
      response.on('data', () => {
        ms ??= performance.now() - started;
      });
      response.on('end', () => resolve(ms!));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

/** Reads large files repeatedly, some concurrently. */
async function readLarge(base: string): Promise<void> {
  for (let n = 0; n < 4; n += 1) {
    await Promise.all(['/build/large.bin', '/build/large.bin', ''].map((rest) => firstByte(`${base}${rest}`)));
  }
}

/**
 * Single files of a 100 MB archive: time to the first byte, right after a start and later, and memory for large ones.
 */
export async function artifacts(dataDir: string, port: number): Promise<Figure[]> {
  const path = await seedArchive(dataDir);
  const [cold, warm, grown]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await startServer(dataDir, port);
    try {
      cold.push(await firstByte(`${server.url}${path}/${at(round * 501)}`));
      for (let n = 0; n < WARM; n += 1) warm.push(await firstByte(`${server.url}${path}/${at((n * 37) % FILES)}`));
      grown.push((await growth(server, () => readLarge(`${server.url}${path}`))).megabytes);
    } finally {
      await server.stop();
    }
  }
  const time = (name: string, values: readonly number[]): Figure => {
    const value = median(values);
    return { name, measured: `${value.toFixed(1)} ms`, value, limit: 20, better: 'less' };
  };
  const value = median(grown);
  return [
    time('first byte of a file out of an archive of 100 MB, first request after a start', cold),
    time('the same later', warm),
    {
      name: 'memory that 1 GB of artifacts takes while it is read, three at a time',
      measured: `${value.toFixed(0)} MB`,
      value,
      limit: 100,
      better: 'less',
    },
  ];
}
