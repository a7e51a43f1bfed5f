import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { apiClient } from '../../support/api-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { stithy } from '../stithy.ts';

type Settings = Record<string, string>;

/** A port that somebody listens on. */
async function takenPort(): Promise<{ port: string; free: () => void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: String((server.address() as AddressInfo).port), free: () => server.close() };
}

async function refuses(lab: Lab): Promise<void> {
  const file = join(lab.folder, 'file');
  writeFileSync(file, '');
  const broken = join(lab.folder, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'stithy.db'), 'no database '.repeat(1_000));
  const { port, free } = await takenPort();
  const cases: [Settings, RegExp][] = [
    [{ STITHY_PORT: port }, /port \d+: it is already in use/],
    [{ STITHY_PORT: '70000' }, /STITHY_PORT/],
    [{ STITHY_HOST: 'no-such-host.invalid' }, /Cannot listen on no-such-host\.invalid/],
    [{ STITHY_HOST: '203.0.113.1' }, /it is not an address of this machine/],
    [{ STITHY_HOST: '300.1.1.1' }, /Cannot listen on 300\.1\.1\.1/],
    [{ STITHY_EXTERNAL_URL: 'nowhere' }, /STITHY_EXTERNAL_URL/],
    [{ STITHY_TRUSTED_PROXIES: '10.0.0.0/99' }, /STITHY_TRUSTED_PROXIES/],
    [{ STITHY_MONITORING_ALLOWLIST: 'everybody' }, /STITHY_MONITORING_ALLOWLIST/],
    [{ STITHY_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }, /STITHY_DATABASE_URL cannot be reached/],
    [{ STITHY_DATABASE_URL: 'postgres://u:p@no-such-host.invalid/x' }, /STITHY_DATABASE_URL cannot be reached/],
    [{ STITHY_DATABASE_URL: 'mysql://u:p@127.0.0.1/x' }, /STITHY_DATABASE_URL/],
    [{ STITHY_DATABASE_URL: 'sqlite:' }, /STITHY_DATABASE_URL/],
    [{ STITHY_DATABASE_URL: 'sqlite:../x.db' }, /STITHY_DATABASE_URL/],
    [{ STITHY_STORAGES: `default=${file}` }, /cannot be used/],
    [{ STITHY_STORAGES: 'default' }, /STITHY_STORAGES/],
    [{ STITHY_STORAGES: `other=${join(lab.folder, 'storage')}=0` }, /STITHY_STORAGES/],
    [{ STITHY_MAX_BODY: 'much' }, /STITHY_MAX_BODY/],
    [{ STITHY_ROOT_TOKEN: 'short' }, /STITHY_ROOT_TOKEN/],
    [{ STITHY_PLAN: 'gold' }, /STITHY_PLAN/],
    [{ STITHY_DATA_DIR: file }, /cannot be used/],
    [{ STITHY_DATA_DIR: join(file, 'below') }, /cannot be used/],
    [{ STITHY_DATA_DIR: '/proc/x' }, /cannot be used/],
    [{ STITHY_DATA_DIR: broken }, /The database .*stithy\.db cannot be used/],
  ];
  if (lab.engine === 'postgres') {
    const { STITHY_DATABASE_URL: good = '' } = await lab.newDatabase();
    const with_ = (change: (url: URL) => void): Settings => {
      const url = new URL(good);
      change(url);
      return { STITHY_DATABASE_URL: url.href };
    };
    cases.push([with_((url) => (url.password = 'wrong')), /cannot be reached: .*password/]);
    cases.push([with_((url) => (url.pathname = '/no-such-database')), /cannot be reached: .*does not exist/]);
  }
  try {
    for (const [settings, because] of cases) {
      const { code, stderr } = await stithy(['serve'], { STITHY_DATA_DIR: join(lab.folder, 'refused'), ...settings });
      assert.equal(code, 2, `${JSON.stringify(settings)}: ${stderr}`);
      assert.match(stderr, /^stithy: [^\n]+\n$/);
      assert.match(stderr, because);
      assert.doesNotMatch(stderr, /u:p@/);
    }
  } finally {
    free();
  }
  lab.say(`${cases.length} bad settings and surroundings: one line that says why and exit code 2 each`);
}

/** The token is shown by the start that succeeds, whatever came before it; `stithy token` makes another. */
async function keepsToken(lab: Lab): Promise<void> {
  const dataDir = join(lab.folder, 'token');
  const database = await lab.newDatabase();
  const settings = { STITHY_DATA_DIR: dataDir, ...database };
  const { port, free } = await takenPort();
  for (let tries = 0; tries < 2; tries += 1) {
    const { code, stdout, stderr } = await stithy(['serve'], { ...settings, STITHY_PORT: port });
    assert.equal(code, 2, stderr);
    assert.doesNotMatch(`${stdout}${stderr}`, /glpat-/);
  }
  free();
  const server = await lab.start(dataDir, { ...database, STITHY_ROOT_TOKEN: '' });
  const [token = ''] = /glpat-\S+/.exec(server.greeting) ?? [];
  const another = (await stithy(['token'], settings)).stdout.trim();
  for (const each of [token, another]) {
    const { status, text } = await apiClient(server.url, each)('GET', '/user');
    assert.equal(status, 200, `${each}: ${text}`);
  }
  await server.stop();
  assert.doesNotMatch(readFileSync(join(lab.folder, 'server.log'), 'utf8'), new RegExp(`${token}|${another}`));
  lab.say('the token came with the first start that succeeded, after two that did not; stithy token made another');
}

/** A server that cannot start says why in one line. */
export default {
  title: 'bad hosts, addresses, networks, folders, databases and storages; a first start that finds its port taken',
  run: async (lab) => {
    await refuses(lab);
    await keepsToken(lab);
  },
} satisfies Experiment;
