import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { get } from 'node:http';
import { ZipFile } from 'yazl';
import { createProject } from '../src/api/spaces/projects/create.ts';
import { loadConfig } from '../src/config/config.ts';
import { silentLogger } from '../src/core/logger.ts';
import { open } from '../src/start.ts';
import type { Figure } from './figures.ts';
import { median } from './git.ts';
import { type BenchServer, residentMb, startServer, TOKEN } from './server.ts';

const ROUNDS = 5;
const WARM = 200;
const FILES = 3_000;
const FILE_BYTES = 20_000;
const LARGE_BYTES = 40 * 1024 * 1024;
const at = (n: number) => `build/part-${n % 30}/file-${n}.bin`;

/** Fills a new data folder: a job with an archive of 100 MB, 3,000 small files and a large one. @returns path of its artifacts */
async function seedArchive(dataDir: string): Promise<string> {
  await rm(dataDir, { recursive: true, force: true });
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: TOKEN });
  const { deps, close } = await open(config, silentLogger);
  const { db } = deps;
  const namespace = await db.selectFrom('namespaces').selectAll().where('owner_id', '=', 1).executeTakeFirstOrThrow();
  const place = { namespace, name: 'built', path: 'built', visibility: 'private', creatorId: 1 } as const;
  const project = await createProject(deps, { ...place, defaultBranch: 'main' });
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
  await close();
  return `/api/v4/projects/${project.id}/jobs/${job.id}/artifacts`;
}

/** Milliseconds until the first byte of a content, which is then read to its end. */
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

/** Megabytes that the server grows by while large contents are read several times over, some at once. */
async function growth(server: BenchServer, path: string): Promise<number> {
  const pid = server.child.pid!;
  const before = await residentMb(pid);
  let peak = before;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentMb(pid).catch(() => 0));
  }, 50);
  for (let n = 0; n < 4; n += 1) {
    await Promise.all(
      ['/build/large.bin', '/build/large.bin', ''].map((rest) => firstByte(`${server.url}${path}${rest}`)),
    );
  }
  clearInterval(watch);
  return peak - before;
}

/**
 * Single files out of an archive of 100 MB: until their first byte, right after a start and later; and what reading large
 * ones takes of memory.
 */
export async function artifacts(dataDir: string, port: number): Promise<Figure[]> {
  const path = await seedArchive(dataDir);
  const [cold, warm, grown]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await startServer(dataDir, port);
    try {
      cold.push(await firstByte(`${server.url}${path}/${at(round * 501)}`));
      for (let n = 0; n < WARM; n += 1) warm.push(await firstByte(`${server.url}${path}/${at((n * 37) % FILES)}`));
      grown.push(await growth(server, path));
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
