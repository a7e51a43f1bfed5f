import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Figure } from './figures.ts';
import { median } from './git.ts';
import { growth } from './growth.ts';
import { load } from './load.ts';
import { seedFolder } from './seed-folder.ts';
import { startServer, TOKEN } from './server.ts';

const MIB = 1024 * 1024;
const VERSIONS = 1_000;
const READS = 300;
const NAME = '@root/many';
const FILE_BYTES = 375 * MIB;
const SMALL_BYTES = 3 * MIB;
/** So many bytes are written as whole base64. */
const BLOCK = 3 * 64 * 1024;

const DEPENDENCIES = Object.fromEntries(Array.from({ length: 12 }, (_each, n) => [`dependency-${n}`, `^${n}.1.0`]));

/** A new data folder: a project with a package of 1,000 versions. @returns address of its packages, below the server's */
function seedVersions(dataDir: string): Promise<string> {
  return seedFolder(dataDir, 'packed', async ({ db }, { id }) => {
    const metadata = { dependencies: DEPENDENCIES, devDependencies: DEPENDENCIES, engines: { node: '>=20' } };
    for (let n = 0; n < VERSIONS; n += 1) {
      const version = `1.${n}.0`;
      const at = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
      const dated = { created_at: at, updated_at: at };
      const row = await db
        .insertInto('packages')
        .values({
          ...dated,
          project_id: id,
          package_type: 'npm',
          name: NAME,
          name_key: NAME,
          version,
          version_key: version,
          creator_id: 1,
          metadata: JSON.stringify(metadata),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const facts = { integrity: `sha512-${randomBytes(64).toString('base64')}` };
      const digests = { sha256: randomBytes(32).toString('hex'), sha1: randomBytes(20).toString('hex') };
      const file = {
        package_id: row.id,
        file_name: `${NAME}-${version}.tgz`,
        size: 1,
        metadata: JSON.stringify(facts),
      };
      await db
        .insertInto('package_files')
        .values({ ...file, ...digests, ...dated })
        .execute();
    }
    return `/api/v4/projects/${id}/packages/npm`;
  });
}

const headers = { authorization: `Bearer ${TOKEN}` };

/** Milliseconds until an answer has come. */
async function timeOf(url: string, more: Record<string, string> = {}): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, { headers: { ...headers, ...more } });
  await response.arrayBuffer();
  if (!response.ok && response.status !== 304) throw new Error(`${url}: ${response.status}`);
  return performance.now() - began;
}

/** The median of whole answers, one after the other over a kept connection. */
const warmTime = async (url: string): Promise<number> => (await load(url, headers, { connections: 1, seconds: 3 })).p50;

/** Publishes a version whose file has so many bytes, as npm sends it. */
async function publish(url: string, name: string, version: string, bytes: number): Promise<void> {
  const head = JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } });
  const sending = request(`${url}/${name}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
  });
  const answered = once(sending, 'response');
  const key = JSON.stringify(`${name}-${version}.tgz`);
  sending.write(`${head.slice(0, -1)},"_attachments":{${key}:{"content_type":"application/octet-stream","data":"`);
  const block = randomBytes(BLOCK);
  for (let sent = 0; sent < bytes; sent += BLOCK) {
    block.writeUInt32BE(sent / BLOCK);
    if (!sending.write(block.toString('base64'))) await once(sending, 'drain');
  }
  sending.end('"}}}');
  const [response] = await answered;
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
}

/** The document of an npm package of 1,000 versions, and what a large file takes while it is published. */
export async function npm(dataDir: string, port: number): Promise<Figure[]> {
  const path = await seedVersions(dataDir);
  const server = await startServer(dataDir, port);
  try {
    const base = `${server.url}${path}`;
    const document = `${base}/${NAME.replace('/', '%2f')}`;
    const cold = await timeOf(document);
    const warm = await warmTime(document);
    const etag = (await fetch(document, { headers })).headers.get('etag')!;
    const times: number[] = [];
    for (let n = 0; n < READS; n += 1) times.push(await timeOf(document, { 'if-none-match': etag }));
    const known = median(times);
    const everywhere = await warmTime(`${server.url}/api/v4/packages/npm/${NAME.replace('/', '%2f')}`);
    await publish(base, 'small', '1.0.0', SMALL_BYTES);
    const large = await growth(server, () => publish(base, 'large', '1.0.0', FILE_BYTES));
    const time = (name: string, value: number, limit: number): Figure => {
      return { name, measured: `${value.toFixed(2)} ms`, value, limit, better: 'less' };
    };
    return [
      time(`document of an npm package of ${VERSIONS} versions, first request`, cold, 500),
      time('the same later, p50', warm, 5),
      time('the same for a client that has it, p50', known, 5),
      time('the same at the level of the installation, p50', everywhere, 5),
      {
        name: 'memory that an npm package of 375 MB takes while it is published',
        measured: `${large.megabytes.toFixed(0)} MB (${large.seconds.toFixed(1)} s)`,
        value: large.megabytes,
        limit: 100,
        better: 'less',
      },
    ];
  } finally {
    await server.stop();
  }
}
