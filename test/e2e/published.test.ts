import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { apiClient, type Call } from '../support/api-client.ts';
import { emptyDatabase, type TestDatabase } from '../support/databases.ts';
import { cloneUrl, mustGit } from '../support/git-client.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

/** What is published, in an empty folder without any other package: the rooms that are loaded late are found, too. */
const ROOT = resolve(import.meta.dirname, '../..');
const TOKEN = 'glpat-published-test-token-00';

let folder: string;
let program: string;
let database: TestDatabase;
let server: ServerProcess;
let call: Call;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-published-'));
  // Any command makes the bundle where it is older than the sources.
  await promisify(execFile)(process.execPath, [join(ROOT, 'bin/stithy.js'), 'version']);
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const published = join(folder, 'stithy');
  for (const file of ['package.json', ...files]) {
    await cp(join(ROOT, file), join(published, file), { recursive: true });
  }
  program = join(published, 'bin/stithy.js');
  database = await emptyDatabase();
  server = await start();
  call = apiClient(server.url, TOKEN);
});
after(async () => {
  await server?.kill();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const settingsOf = ({ url }: TestDatabase): Record<string, string> =>
  url === null ? {} : { STITHY_DATABASE_URL: url };

const start = (logFile?: string) =>
  startServer({
    program,
    dataDir: join(folder, 'data'),
    settings: { STITHY_ROOT_TOKEN: TOKEN, ...settingsOf(database) },
    ...(logFile === undefined ? {} : { logFile }),
  });

/** Calls what must succeed. */
async function ok<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await call<T>(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

test('git pushes and clones', async () => {
  await ok('POST', '/projects', { path: 'tool' });
  const tree = join(folder, 'tree');
  await mustGit(folder, ['clone', '--quiet', cloneUrl(server.url, 'root/tool', TOKEN), tree]);
  await mustGit(tree, ['commit', '--quiet', '--allow-empty', '--message', 'First']);
  await mustGit(tree, ['push', '--quiet', 'origin', 'HEAD:main']);
  const [commit] = await ok<{ title: string }[]>('GET', '/projects/root%2Ftool/repository/commits');
  assert.equal(commit?.title, 'First');
});

test('what is loaded when it is first asked for is there', async () => {
  const project = '/projects/root%2Ftool';
  const file = { branch: 'main', commit_message: 'Add', content: 'export const one = 1;\n' };
  await ok('POST', `${project}/repository/files/one.ts`, file);
  assert.deepEqual(await ok('GET', `${project}/languages`), { TypeScript: 100 });
  await ok('POST', `${project}/issues`, { title: 'Smile' });
  const award = await ok<{ name: string }>('POST', `${project}/issues/1/award_emoji`, { name: '+1' });
  assert.equal(award.name, 'thumbsup');
  const [last] = await ok<{ id: string }[]>('GET', `${project}/repository/commits`);
  await ok('POST', `${project}/repository/changelog`, { version: '1.0.0', branch: 'main', from: last!.id });
  assert.equal((await call('GET', `${project}/repository/archive.zip`)).status, 200);
  assert.equal((await call('GET', '/openapi.json')).status, 200);
  const query = { query: '{ currentUser { username } }' };
  const graphql = await fetch(`${server.url}/api/graphql`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify(query),
  });
  assert.deepEqual(await graphql.json(), { data: { currentUser: { username: 'root' } } });
  const page = await fetch(`${server.url}/-/api/rapidoc.js`);
  assert.equal(page.status, 200);
  assert.ok((await page.text()).length > 100_000);
});

test('the other commands run', async () => {
  const path = { PATH: process.env.PATH ?? '' };
  const env = { ...path, ...settingsOf(database), STITHY_DATA_DIR: join(folder, 'data') };
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
  assert.match(await run('token'), /glpat-/);
  assert.match(await run('doctor', '--quick'), /\S/);
  await run('backup', join(folder, 'copies'));
  const empty = await emptyDatabase();
  const elsewhere = { ...path, ...settingsOf(empty), STITHY_DATA_DIR: join(folder, 'restored') };
  await promisify(execFile)(process.execPath, [program, 'restore', join(folder, 'copies')], { env: elsewhere });
  await empty.drop();
});

test('the programmatic entry starts a server', async () => {
  const code = `import { start } from '${join(folder, 'stithy/dist/index.cjs')}';
    const stithy = await start({ settings: { STITHY_PORT: '0', STITHY_DATA_DIR: '${join(folder, 'inside')}' } });
    console.log((await fetch(stithy.url + '/-/readiness')).status, stithy.token !== null);
    await stithy.stop();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  assert.equal(stdout, '200 true\n');
});

async function loseTable(name: string): Promise<void> {
  if (database.url === null) {
    const sqlite = new DatabaseSync(join(folder, 'data/stithy.db'), { timeout: 60_000 });
    sqlite.exec(`alter table ${name} rename to lost_${name}`);
    sqlite.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`alter table ${name} rename to lost_${name}`);
  await client.end();
}

test('the log names lines of the sources where something went wrong', async () => {
  await server.stop();
  const log = join(folder, 'log');
  server = await start(log);
  await loseTable('topics');
  assert.equal((await apiClient(server.url, TOKEN)('GET', '/topics')).status, 500);
  await server.stop();
  const error = (await readFile(log, 'utf8')).split('\n').find((line) => line.includes('"ERROR"'));
  assert.match(String(error), /topics/);
  assert.match(String(error), /\(src\/[a-z/-]+\.ts:\d+:\d+\)/);
  assert.doesNotMatch(String(error), /\.cjs/);
});
