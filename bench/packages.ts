import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { get, request } from 'node:http';
import { createProject } from '../src/api/spaces/projects/create.ts';
import { loadConfig } from '../src/config/config.ts';
import { silentLogger } from '../src/core/logger.ts';
import { open } from '../src/start.ts';
import type { Figure } from './figures.ts';
import { type BenchServer, residentMb, startServer, TOKEN } from './server.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 1024 * MIB;
const SMALL_BYTES = 8 * MIB;
const headers = { 'PRIVATE-TOKEN': TOKEN };

/** A new data folder with a project. @returns address of its generic packages */
async function seedProject(dataDir: string): Promise<string> {
  await rm(dataDir, { recursive: true, force: true });
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: TOKEN });
  const { deps, close } = await open(config, silentLogger);
  const { db } = deps;
  const namespace = await db.selectFrom('namespaces').selectAll().where('owner_id', '=', 1).executeTakeFirstOrThrow();
  const place = { namespace, name: 'packed', path: 'packed', visibility: 'private', creatorId: 1 } as const;
  const { id } = await createProject(deps, { ...place, defaultBranch: 'main' });
  await close();
  return `/api/v4/projects/${id}/packages/generic`;
}

/** Sends so many bytes. @returns their SHA-256 */
async function upload(url: string, bytes: number): Promise<string> {
  const sending = request(url, { method: 'PUT', headers: { ...headers, 'content-length': bytes } });
  const answered = once(sending, 'response');
  const digest = createHash('sha256');
  const block = randomBytes(MIB);
  for (let sent = 0; sent < bytes; sent += MIB) {
    block.writeUInt32BE(sent / MIB);
    const chunk = Buffer.from(block);
    digest.update(chunk);
    if (!sending.write(chunk)) await once(sending, 'drain');
  }
  sending.end();
  const [response] = await answered;
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 201) throw new Error(`${url}: ${response.statusCode}`);
  return digest.digest('hex');
}

/** Reads a file to its end. @returns the SHA-256 of its bytes */
function download(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      const digest = createHash('sha256');
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.on('data', (chunk: Buffer) => digest.update(chunk));
      response.on('end', () => resolve(digest.digest('hex')));
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Seconds that something takes, and the megabytes that the server grows by meanwhile. */
async function growth(server: BenchServer, work: () => Promise<void>) {
  const pid = server.child.pid!;
  const before = await residentMb(pid);
  let peak = before;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentMb(pid).catch(() => 0));
  }, 50);
  const started = performance.now();
  await work();
  clearInterval(watch);
  return { seconds: (performance.now() - started) / 1_000, megabytes: peak - before };
}

/** A generic package of 1 GB: what publishing and downloading it takes of memory. */
export async function packages(dataDir: string, port: number): Promise<Figure[]> {
  const path = await seedProject(dataDir);
  const server = await startServer(dataDir, port);
  const base = `${server.url}${path}`;
  try {
    await upload(`${base}/small/1.0/small.bin`, SMALL_BYTES);
    await download(`${base}/small/1.0/small.bin`);
    let sha256 = '';
    const up = await growth(server, async () => {
      sha256 = await upload(`${base}/large/1.0/large.bin`, FILE_BYTES);
    });
    const down = await growth(server, async () => {
      if ((await download(`${base}/large/1.0/large.bin`)) !== sha256) throw new Error('other bytes came back');
    });
    const memory = (name: string, { seconds, megabytes }: typeof up): Figure => ({
      name: `memory that a generic package of 1 GB takes while it is ${name}`,
      measured: `${megabytes.toFixed(0)} MB (${seconds.toFixed(1)} s)`,
      value: megabytes,
      limit: 100,
      better: 'less',
    });
    return [memory('published', up), memory('downloaded', down)];
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
