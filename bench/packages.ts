import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { get, request } from 'node:http';
import type { Figure } from './figures.ts';
import { type Growth, growth } from './growth.ts';
import { seedFolder } from './seed-folder.ts';
import { startServer, TOKEN } from './server.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 1024 * MIB;
const SMALL_BYTES = 8 * MIB;
const headers = { 'PRIVATE-TOKEN': TOKEN };

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

/** A generic package of 1 GB: what publishing and downloading it takes of memory. */
export async function packages(dataDir: string, port: number): Promise<Figure[]> {
  const path = await seedFolder(dataDir, 'packed', (_deps, { id }) => `/api/v4/projects/${id}/packages/generic`);
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
    const memory = (name: string, { seconds, megabytes }: Growth): Figure => ({
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
