import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createProject } from '../api/projects/create.ts';
import { createSnippet } from '../api/snippets/service.ts';
import { loadConfig } from '../config/config.ts';
import { silentLogger } from '../core/logger.ts';
import { open } from '../start.ts';

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stithy-cli-'));
});
after(() => rm(dataDir, { recursive: true, force: true }));

function stithy(args: string[], settings: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH ?? '', STITHY_DATA_DIR: dataDir, ...settings };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ['bin/stithy.js', ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

test('help and version say what there is; an unknown command is named', async () => {
  assert.match((await stithy(['help'])).stdout, /serve .*\n {2}doctor/);
  assert.match((await stithy(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
  const unknown = await stithy(['frobnicate']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /there is no command "frobnicate"/);
});

test('serve refuses a setting it cannot use, by name', async () => {
  for (const [name, value] of [
    ['STITHY_PORT', 'http'],
    ['STITHY_PLAN', 'gold'],
    ['STITHY_ROOT_TOKEN', 'short'],
    ['STITHY_STORAGES', 'a=/x,a=/y'],
    ['STITHY_DATABASE_URL', 'mysql://x'],
  ] as const) {
    const { code, stderr } = await stithy(['serve'], { [name]: value });
    assert.equal(code, 2, name);
    assert.match(stderr, new RegExp(name));
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
  assert.match(sound.stdout, /2 repositories are sound/);
  for (const { repository_storage: storage, disk_path: diskPath } of [project, snippet]) {
    await truncate(join(storages.dirOf({ storage, diskPath }), 'HEAD'), 0);
  }
  const broken = await stithy(['doctor']);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /WRONG {2}The repository of root\/p/);
  assert.match(broken.stdout, /WRONG {2}The repository of snippet 1/);
});
