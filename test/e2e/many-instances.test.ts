import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { StartupError } from '../../src/core/startup-error.ts';
import { RequestFailed, type Stithy, start } from '../../src/index.ts';
import { cloneUrl, mustGit } from '../support/git-client.ts';
import { temporaryFolder } from '../support/git-fixture.ts';

const ONE = 'glpat-token-of-the-first-server';
const TWO = 'glpat-token-of-the-second-one';

/** Two servers in this process, of which nothing is the same. */
let one: Stithy;
let two: Stithy;
before(async () => {
  one = await start({ bench: true, ephemeral: true, settings: { STITHY_ROOT_TOKEN: ONE, STITHY_PLAN: 'free' } });
  two = await start({
    ephemeral: true,
    settings: {
      STITHY_ROOT_TOKEN: TWO,
      STITHY_DELETION_DELAY_DAYS: '7',
      STITHY_EXTERNAL_URL: 'http://two.example.com',
      STITHY_MAX_BODY: '4096',
      STITHY_THROTTLE_UNAUTHENTICATED_REQUESTS: '2',
    },
  });
});
after(() => Promise.all([one?.stop(), two?.stop()]));

const failure = (status: number, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof RequestFailed, String(error));
  assert.equal(error.status, status, error.message);
  assert.match(error.message, message);
  return true;
};

const makeProject = ({ api }: Stithy, name: string) =>
  api<{ id: number; web_url: string; default_branch: string }>('POST', '/projects', {
    name,
    initialize_with_readme: true,
  });

test('servers in one process share neither accounts, data, settings nor limits', async () => {
  const [mine, theirs] = await Promise.all([makeProject(one, 'first'), makeProject(two, 'second')]);
  assert.deepEqual([mine.id, theirs.id], [1, 1]);
  assert.equal(theirs.web_url, 'http://two.example.com/root/second');
  assert.equal(mine.web_url, `${one.url}/root/first`);
  await assert.rejects(one.api('GET', '/user', undefined, { token: TWO }), failure(401, /401 Unauthorized/));
  await assert.rejects(two.api('GET', '/user', undefined, { token: ONE }), failure(401, /401 Unauthorized/));
  const names = async ({ api }: Stithy) => (await api<{ name: string }[]>('GET', '/projects')).map(({ name }) => name);
  assert.deepEqual([await names(one), await names(two)], [['first'], ['second']]);
  await assert.rejects(one.api('GET', '/projects/1/push_rule'), failure(403, /403 Forbidden/));
  assert.equal((await two.api('GET', '/projects/1/push_rule', undefined, { raw: true })).status, 200);
  const long = { title: 'Long', description: 'x'.repeat(8_000) };
  await one.api('POST', '/projects/1/issues', long);
  await assert.rejects(two.api('POST', '/projects/1/issues', long), failure(413, /413/));
  const settings = (await Promise.all([one, two].map(({ api }) => api('GET', '/application/settings')))) as {
    deletion_adjourned_period: number;
  }[];
  assert.deepEqual(
    settings.map((each) => each.deletion_adjourned_period),
    [0, 7],
  );
  const anonymous = async ({ api }: Stithy) =>
    (await api('GET', '/projects', undefined, { token: null, raw: true })).status;
  const statuses = async (server: Stithy) => [
    await anonymous(server),
    await anonymous(server),
    await anonymous(server),
  ];
  assert.deepEqual(await statuses(one), [200, 200, 200]);
  assert.equal((await statuses(two)).at(-1), 429);
  await one.clock.set({ offset: 3_600, frozen: true });
  assert.equal((await one.clock.get()).frozen, true);
  await assert.rejects(two.clock.get(), failure(404, /404/));
  const made = await makeProject(two, 'now');
  const { created_at } = await two.api<{ created_at: string }>('GET', `/projects/${made.id}`);
  assert.ok(Math.abs(Date.now() - Date.parse(created_at)) < 60_000);
});

test('the end of one leaves the others git, background work and their folders', async (t) => {
  const folder = temporaryFolder(t);
  await makeProject(one, 'stays');
  const last = await start({ ephemeral: true });
  t.after(() => last.stop());
  await makeProject(last, 'goes');
  await mustGit(folder, ['clone', '--quiet', cloneUrl(last.url, 'root/goes', last.token!), 'goes']);
  await last[Symbol.asyncDispose]();
  await assert.rejects(last.api('GET', '/version'), TypeError);
  const url = cloneUrl(one.url, 'root/stays', ONE);
  await mustGit(folder, ['clone', '--quiet', url, 'stays']);
  const tree = join(folder, 'stays');
  await mustGit(tree, ['commit', '--quiet', '--allow-empty', '--message', 'More']);
  await mustGit(tree, ['push', '--quiet', 'origin', 'HEAD:more']);
  const [commit] = await one.api<{ title: string }[]>('GET', '/projects/root%2Fstays/repository/commits', undefined, {
    query: { ref_name: 'more' },
  });
  assert.equal(commit!.title, 'More');
  const [event] = await one.api<{ push_data?: { ref: string } }[]>('GET', '/projects/root%2Fstays/events');
  assert.equal(event!.push_data?.ref, 'more');
  assert.ok(existsSync(join(tree, '.git')));
});

test('a call gives the answer, its text, nothing, or says why it failed', async () => {
  const { id } = await makeProject(one, 'calls');
  const file = `/projects/${id}/repository/files/README.md`;
  assert.match(await one.api<string>('GET', `${file}/raw`, undefined, { query: { ref: 'main' } }), /^# calls/);
  assert.equal(await one.api('DELETE', `/projects/${id}/repository/branches/none`).catch(({ status }) => status), 404);
  const form = new FormData();
  form.set('title', 'By form');
  assert.equal((await one.api<{ title: string }>('POST', `/projects/${id}/issues`, form)).title, 'By form');
  assert.equal(await one.api('DELETE', `/projects/${id}/issues/1`), undefined);
  const response = await one.api('GET', '/nowhere', undefined, { raw: true, headers: { origin: 'http://x.example' } });
  assert.equal(response.status, 404);
  await assert.rejects(one.api('POST', '/projects', {}), failure(400, /^POST \/projects: 400 .*missing/));
});

test('a server begins with what its seed makes, or not at all', async (t) => {
  const seed = {
    users: [{ username: 'ada', tokens: [{ token: 'glpat-of-ada-known', scopes: ['api'] }] }],
    projects: [{ path: 'web', namespace: 'ada', commits: [{ message: 'First', files: { 'a.txt': 'one' } }] }],
  };
  const commitOf = async (given: NonNullable<Parameters<typeof start>[0]>['seed']) => {
    const server = await start({ ephemeral: true, seed: given! });
    const call = { token: 'glpat-of-ada-known' };
    const [commit] = await server.api<{ id: string }[]>('GET', '/projects/1/repository/commits', undefined, call);
    const clock = await server.api('GET', '/-/bench/clock', undefined, { raw: true });
    assert.equal(clock.status, 404);
    await server.stop();
    return commit!.id;
  };
  const file = join(temporaryFolder(t), 'seed.yml');
  await writeFile(file, JSON.stringify(seed));
  assert.equal(await commitOf(seed), await commitOf(file));
  await writeFile(file, 'users:\n  - username: ada\n    colour: red\n');
  await assert.rejects(start({ ephemeral: true, seed: file }), (error: Error) => {
    assert.ok(error instanceof StartupError, String(error));
    assert.match(error.message, /^\S+seed\.yml:3: users\[0\].*colour/);
    return true;
  });
});
