import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient } from '../../test/support/api-client.ts';
import { startServer } from '../../test/support/server-process.ts';
import { runCommand, runProgram } from '../../test/support/stithy-command.ts';
import { createSnippet } from '../api/code/snippets/snippets.writes.ts';
import { createProject } from '../api/spaces/projects/projects.create.ts';
import { loadConfig } from '../config/config.ts';
import { silentLogger } from '../core/logger.ts';
import { open } from '../start.ts';

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stithy-cli-'));
});
after(() => rm(dataDir, { recursive: true, force: true }));

const inFolder = (settings: Record<string, string>) => ({ STITHY_DATA_DIR: dataDir, ...settings });
const stithy = (args: string[], settings = {}) => runCommand(args, inFolder(settings));
const program = (args: string[], settings = {}) => runProgram(args, inFolder(settings));

test('each command prints its help without doing anything else', async () => {
  for (const command of ['serve', 'doctor', 'backup', 'restore', 'jobs', 'license', 'token', 'tokens', 'users']) {
    for (const option of ['--help', '-h', 'help']) {
      // Each part of the bundle is loaded once.
      const { code, stdout, stderr } = await (option === '--help' ? program : stithy)([command, option]);
      assert.deepEqual([code, stderr], [0, ''], command);
      assert.match(stdout, new RegExp(`^Usage: stithy ${command}`));
    }
  }
  assert.deepEqual(await readdir(dataDir), []);
});

test('commands refuse unknown options and show their help', async () => {
  for (const command of ['serve', 'doctor', 'backup', 'restore', 'token']) {
    const { code, stderr } = await stithy([command, '--colour']);
    assert.equal(code, 2, command);
    assert.match(stderr, new RegExp(`^stithy: Unknown option '--colour'[^]*\nUsage: stithy ${command}`));
  }
});

test('help and version say what there is; an unknown command is named', async () => {
  assert.match((await program(['help'])).stdout, /serve .*\n(?:.*\n)* {2}doctor/);
  assert.match((await program(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
  const unknown = await program(['frobnicate']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /unknown command "frobnicate"/);
});

test('serve refuses a setting it cannot use, by name, in one line', async () => {
  for (const [name, value] of [
    ['STITHY_PORT', 'http'],
    ['STITHY_PLAN', 'gold'],
    ['STITHY_LICENSE_ISSUER', '/no/such/file'],
    ['STITHY_ROOT_TOKEN', 'short'],
    ['STITHY_STORAGES', 'a=/x,a=/y'],
    ['STITHY_DATABASE_URL', 'mysql://x'],
    ['STITHY_DATABASE_URL', 'sqlite:'],
    ['STITHY_DATABASE_URL', 'sqlite:../outside.db'],
    ['STITHY_DATABASE_URL', 'sqlite:/etc/outside.db'],
    ['STITHY_DATABASE_URL', 'postgres://[x'],
    ['STITHY_TRUSTED_PROXIES', '10.0.0.0/99'],
    ['STITHY_SSH_TRUSTED_PROXIES', 'proxy.example.com'],
    ['STITHY_SSH_EXTERNAL_URL', 'git.example.com'],
    ['STITHY_SSH_EXTERNAL_URL', 'ssh://git.example.com:99999'],
    ['STITHY_SSH_EXTERNAL_URL', 'ssh://[::x]'],
    ['STITHY_SSH_EXTERNAL_URL', 'ssh://git.example.com/path'],
    ['STITHY_MONITORING_ALLOWLIST', '::1/8/8'],
    ['STITHY_MONITORING_ALLOWLIST', '10.0.0.0/'],
  ] as const) {
    refusesInOneLine(await stithy(['serve'], { [name]: value }), new RegExp(name));
  }
});

/** One line that says why, no stack, and exit code 2. */
function refusesInOneLine({ code, stderr }: { code: number; stderr: string }, pattern: RegExp): void {
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^stithy: [^\n]+\n$/);
  assert.match(stderr, pattern);
}

test('serve refuses surroundings that it cannot work in, in one line', async (t) => {
  const file = join(dataDir, 'file');
  await writeFile(file, 'no folder');
  const folder = join(dataDir, 'surroundings');
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const broken = join(dataDir, 'broken');
  await mkdir(broken);
  await writeFile(join(broken, 'stithy.db'), 'this is no database, '.repeat(500));
  for (const [settings, pattern] of [
    [{ STITHY_HOST: 'no-such-host.invalid' }, /Cannot listen on no-such-host\.invalid port \d+: /],
    [{ STITHY_HOST: '203.0.113.1' }, /not an address of this machine/],
    [{ STITHY_PORT: String(port) }, /port \d+: it is already in use.*STITHY_PORT/],
    [
      { STITHY_DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' },
      /STITHY_DATABASE_URL cannot be reached: .*ECONNREFUSED/,
    ],
    [{ STITHY_DATABASE_URL: 'postgres://u:secret@no-such-host.invalid/x' }, /STITHY_DATABASE_URL cannot be reached/],
    [{ STITHY_STORAGES: `default=${file}` }, /file cannot be used: .*is a file/],
    [{ STITHY_DATA_DIR: file }, /file cannot be used: .*is a file/],
    [{ STITHY_DATA_DIR: join(file, 'below') }, /is a file/],
    [{ STITHY_DATA_DIR: '/proc/stithy' }, /\/proc\/stithy cannot be used/],
    [{ STITHY_DATA_DIR: '/proc' }, /\/proc/],
    [{ STITHY_DATA_DIR: broken }, /broken\/stithy\.db cannot be used: file is not a database/],
  ] as const) {
    const answer = await program(['serve'], { STITHY_DATA_DIR: folder, STITHY_PORT: '0', ...settings });
    refusesInOneLine(answer, pattern);
    assert.doesNotMatch(answer.stderr, /secret/);
  }
});

test('a first start that meets a taken port loses no token; `stithy token` makes another', async (t) => {
  const settings = { STITHY_DATA_DIR: join(dataDir, 'first'), STITHY_PORT: '0' };
  refusesInOneLine(await stithy(['token'], settings), /no database/);
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  assert.equal((await program(['serve'], { ...settings, STITHY_PORT: String(port) })).code, 2);
  taken.close();
  const server = await startServer({ dataDir: settings.STITHY_DATA_DIR });
  try {
    const first = /token (\S+) +\(shown this once\)/.exec(server.greeting)?.[1];
    const made = await stithy(['token'], settings);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^glpat-\S+\n$/);
    for (const token of [first!, made.stdout.trim()]) {
      assert.equal((await apiClient(server.url, token)('GET', '/user')).status, 200);
    }
  } finally {
    await server.kill();
  }
});

test('doctor finds an installation sound, and names the repository that is not', async () => {
  assert.equal((await stithy(['doctor'], { STITHY_DATA_DIR: join(dataDir, 'nowhere') })).code, 1);
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir });
  const instance = await open(config, silentLogger);
  const { db, storages } = instance.deps;
  const namespace = await db.selectFrom('namespaces').selectAll().executeTakeFirstOrThrow();
  const project = await createProject(instance.deps, {
    namespace,
    name: 'p',
    path: 'p',
    visibility: 'private',
    creatorId: 1,
    defaultBranch: 'main',
  });
  const user = await db.selectFrom('users').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  const snippet = await createSnippet(instance.deps, {
    caller: { user, admin: true, scopes: null, credential: { kind: 'password' }, sudoBy: null },
    project: null,
    title: 's',
    description: null,
    visibility: 'private',
    actions: [{ action: 'create', path: 'a', content: Buffer.from('a') }],
    userAgent: null,
    address: '127.0.0.1',
  });
  await instance.close();
  const sound = await stithy(['doctor']);
  assert.equal(sound.code, 0, sound.stdout);
  assert.match(sound.stdout, /2 repositories are intact/);
  for (const { repository_storage: storage, disk_path: diskPath } of [project, snippet]) {
    await truncate(join(storages.dirOf({ storage, diskPath }), 'HEAD'), 0);
  }
  const broken = await stithy(['doctor']);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /WRONG {2}The repository of root\/p/);
  assert.match(broken.stdout, /WRONG {2}The repository of snippet 1/);
});
