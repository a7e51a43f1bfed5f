import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient, type Call } from '../support/api-client.ts';
import { emptyDatabase, type TestDatabase } from '../support/databases.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const TOKEN = 'glpat-storages-file-token-0000';
let folder: string;
let database: TestDatabase;
let server: ServerProcess;
let call: Call;

const write = (...lines: string[]) => writeFileSync(join(folder, 'storages'), lines.join('\n'));
const line = (name: string, weight: number) => `${name}=${join(folder, name)}=${weight}`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-test-'));
  database = await emptyDatabase();
  write('# The first', line('one', 100));
  const settings: Record<string, string> = {
    STITHY_ROOT_TOKEN: TOKEN,
    STITHY_SYNC: 'off',
    STITHY_STORAGES_FILE: join(folder, 'storages'),
  };
  if (database.url !== null) settings.STITHY_DATABASE_URL = database.url;
  server = await startServer({ dataDir: join(folder, 'data'), settings, logFile: join(folder, 'log') });
  call = apiClient(server.url, TOKEN);
});
after(async () => {
  await server.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<void> {
  let seen = await look();
  for (let tries = 0; !holds(seen) && tries < 600; tries += 1) {
    await sleep(100);
    seen = await look();
  }
  assert.ok(holds(seen), JSON.stringify(seen));
}

const move = async (project: number, destination_storage_name: string) =>
  (await call('POST', `/projects/${project}/repository_storage_moves`, { destination_storage_name })).status;
const storageOf = async (project: number) =>
  (await call<{ repository_storage: string }>('GET', `/projects/${project}`)).body.repository_storage;

test('storages are added, emptied and taken away while the server runs', async () => {
  const made = async (name: string, extra: object = {}) =>
    (await call<{ id: number }>('POST', '/projects', { name, initialize_with_readme: true, ...extra })).body.id;
  const first = await made('first');
  assert.equal(await storageOf(first), 'one');
  assert.equal(await move(first, 'two'), 400);
  write(line('one', 0), line('two', 100));
  server.child.kill('SIGHUP');
  await until(
    () => made(`p${Date.now()}`).then(storageOf),
    (storage) => storage === 'two',
  );
  // What is not empty stays.
  write(line('two', 100));
  server.child.kill('SIGHUP');
  assert.equal((await call('POST', '/project_repository_storage_moves', { source_storage_name: 'one' })).status, 202);
  await until(
    () => storageOf(first),
    (storage) => storage === 'two',
  );
  const moves = async () =>
    (await call<{ state: string }[]>('GET', '/project_repository_storage_moves?per_page=100')).body;
  await until(moves, (all) => all.every(({ state }) => state === 'finished'));
  assert.equal((await call('GET', `/projects/${first}/repository/files/README.md/raw?ref=main`)).status, 200);
  server.child.kill('SIGHUP');
  const known = async () =>
    (await call('POST', '/project_repository_storage_moves', { source_storage_name: 'one' })).status;
  await until(known, (status) => status === 400);
  // What cannot be read changes nothing.
  write('two');
  server.child.kill('SIGHUP');
  await until(
    () => readFile(join(folder, 'log'), 'utf8'),
    (log) => log.includes('the storages file was not applied'),
  );
  assert.equal((await call('GET', `/projects/${first}/repository/tree`)).status, 200);
});
