import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { MirrorPair } from '../../../../test/support/mirrors.ts';
import { importUrlOf } from '../../../mirroring/stored-address.ts';

let open: TestApp;
let guarded: TestApp;
before(async () => {
  open = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  guarded = await buildTestApp();
});
after(async () => {
  await open.close();
  await guarded.close();
});

describe('a pull mirror', () => {
  test('takes branches and tags over, and what becomes of them', async () => {
    const pair = await MirrorPair.make(open);
    const { from, to } = pair;
    const first = from.commit('main', { a: '1' });
    from.commit('feature', { b: '1' }, { start: first });
    from.run(['tag', 'v1', first]);
    const done = await pair.follow({ mirror_overwrites_diverged_branches: true });
    assert.equal(done.last_error, null);
    assert.equal(done.update_status, 'finished');
    assert.ok(done.last_update_at !== null && done.last_update_at === done.last_successful_update_at);
    assert.deepEqual(pair.refs(to), pair.refs(from));
    from.commit('main', { a: '2' });
    from.run(['branch', '-D', 'feature']);
    from.commit('topic', { c: '1' }, { start: first });
    from.commit('rewritten', { d: '1' }, { start: first });
    from.run(['tag', '-d', 'v1']);
    from.run(['tag', 'v2', first]);
    assert.equal((await pair.update()).last_error, null);
    const refNames = () => [...pair.names(), ...pair.names('refs/tags')];
    assert.deepEqual(refNames(), ['feature', 'main', 'rewritten', 'topic', 'v1', 'v2']);
    from.run(['update-ref', 'refs/heads/rewritten', first]);
    from.commit('rewritten', { e: '1' });
    assert.equal((await pair.update()).last_error, null);
    assert.equal(to.run(['rev-parse', 'rewritten']), from.run(['rev-parse', 'rewritten']));
    assert.deepEqual(refNames(), ['feature', 'main', 'rewritten', 'topic', 'v1', 'v2']);
    from.run(['branch', '-D', 'topic']);
    from.commit('topic/x', { f: '1' }, { start: first });
    const inTheWay = "'topic/x' cannot be created: its name conflicts with another branch or tag.";
    assert.equal((await pair.update()).last_error, inTheWay);
    to.run(['branch', '-D', 'topic']);
    assert.equal((await pair.update()).last_error, null);
    assert.equal(to.run(['rev-parse', 'topic/x']), from.run(['rev-parse', 'topic/x']));
  });

  test('with nothing new costs one ls-remote', async () => {
    const pair = await MirrorPair.make(open);
    pair.from.commit('main', { a: '1' });
    await pair.follow();
    const before = pair.requests();
    assert.ok(before.fetches > 0 && before.listings > 0);
    assert.equal((await pair.update()).update_status, 'finished');
    const after = pair.requests();
    // Git requests the refs twice from a server that requires a password.
    assert.equal(after.listings - before.listings, 1);
    assert.equal(after.fetches - before.fetches, 1);
  });

  test('shows no credentials, wherever one looks', async () => {
    const pair = await MirrorPair.make(open);
    pair.from.commit('main', { a: '1' });
    const url = pair.plain.replace('//', '//ann:sesame-wrong@');
    const failed = await pair.follow({ url });
    assert.equal(failed.update_status, 'failed');
    assert.match(String(failed.last_error), /refused the credentials/);
    assert.equal(failed.url, pair.plain.replace('//', '//*****:*****@'));
    const project = expectStatus(await open.get(`/projects/${pair.copy.id}`), 200);
    assert.equal(project.import_url, failed.url);
    assert.equal(project.import_status, 'failed');
    const events = await open.deps.db.selectFrom('domain_events').select('payload').execute();
    const jobs = await open.deps.db.selectFrom('jobs').select(['payload', 'last_error']).execute();
    for (const text of [JSON.stringify([failed, project, events, jobs]), open.logLines.join('\n')]) {
      assert.ok(!text.includes('sesame-wrong'));
    }
  });
});

describe('PUT /projects/:id/mirror/pull', () => {
  for (const url of [
    'git://localhost:1234/x@example.com/',
    'file:///etc/passwd',
    'ext::sh -c id',
    'ssh://-oProxyCommand=id/x',
    '--upload-pack=id',
    'http://u:p@host#@evil',
    'http://127.0.0.1:8081/x.git',
    'http://[::ffff:7f00:1]/x.git',
    'http://169.254.169.254/latest',
    'http://u%0Ahost=evil:p@1.1.1.1/x.git',
    'ssh://git@1.1.1.1/-oProxyCommand=id',
    'ssh://-l@1.1.1.1/x',
    'git://1.1.1.1/x%0ahost=evil',
    'ssh://2130706433/x',
    'ftp://example.org/x',
    'https://1.1.1.1:25/x',
    'https://1.1.1.1/x.git?private_token=secret',
    'https://1.1.1.1/x.git#secret',
  ]) {
    test(`refuses ${url}`, async () => {
      const project = await guarded.make.project();
      const response = await guarded.put(`/projects/${project.id}/mirror/pull`, { json: { enabled: true, url } });
      const errors = expectStatus(response, 400).errors as Record<string, string[]>;
      assert.match(String(errors.unsafe_import_url), /^is blocked: /);
      expectStatus(await guarded.get(`/projects/${project.id}/mirror/pull`), 400);
    });
  }

  test('answers 400 where nothing is given, an address is missing or a pattern is none', async () => {
    const project = await open.make.project();
    const put = async (json: object) =>
      expectStatus(await open.put(`/projects/${project.id}/mirror/pull`, { json }), 400);
    assert.match(String((await put({})).message), /at least one/);
    assert.match(String((await put({ enabled: true })).message), /import_url can't be blank/);
    assert.match(String((await put({ mirror_branch_regex: '(' })).message), /mirror_branch_regex is not a valid/);
    assert.match(
      String((await put({ mirror_branch_regex: 'x', only_mirror_protected_branches: true })).message),
      /needs only_mirror_protected_branches to be false/,
    );
  });

  test('ends mirroring with enabled=false, and keeps the rest', async () => {
    const pair = await MirrorPair.make(open);
    pair.from.commit('main', { a: '1' });
    await pair.follow({ mirror_trigger_builds: true });
    const off = expectStatus(await open.put(pair.path, { json: { enabled: false } }), 200);
    assert.equal(off.enabled, false);
    assert.equal(off.mirror_trigger_builds, true);
    assert.match(String(expectStatus(await open.get(pair.path), 400).message), /The project is not mirrored/);
    assert.match(String(expectStatus(await open.post(pair.path), 400).message), /The project is not mirrored/);
  });

  test('keeps a stored password for the repository that it was given for, and for no other', async () => {
    const project = await open.make.project();
    const path = `/projects/${project.id}/mirror/pull`;
    const stored = async () => {
      const row = await open.deps.db
        .selectFrom('projects')
        .select('import_url')
        .where('id', '=', project.id)
        .executeTakeFirstOrThrow();
      return importUrlOf(open.deps, row);
    };
    const put = async (json: object) => expectStatus(await open.put(path, { json }), 200);
    await put({ url: 'https://127.0.0.1:4430/a.git', auth_user: 'an n', auth_password: 'p@ss' });
    assert.equal(await stored(), 'https://an%20n:p%40ss@127.0.0.1:4430/a.git');
    await put({ url: 'https://127.0.0.1:4430/a' });
    assert.equal(await stored(), 'https://an%20n:p%40ss@127.0.0.1:4430/a');
    await put({ url: 'https://*****:*****@127.0.0.1:4430/a.git/' });
    assert.equal(await stored(), 'https://an%20n:p%40ss@127.0.0.1:4430/a.git/');
    await put({ auth_password: 'new' });
    assert.equal(await stored(), 'https://an%20n:new@127.0.0.1:4430/a.git/');
    await put({ url: 'https://*****:*****@127.0.0.1:4430/b.git' });
    assert.equal(
      await stored(),
      'https://127.0.0.1:4430/b.git',
      'what another maintainer gave opens no other repository',
    );
    await put({ url: 'https://127.0.0.1:4430/c.git', auth_user: 'bob', auth_password: 'own' });
    assert.equal(await stored(), 'https://bob:own@127.0.0.1:4430/c.git');
    await put({ url: 'https://*****:*****@127.0.0.2:4430/c.git' });
    assert.equal(await stored(), 'https://127.0.0.2:4430/c.git');
    await put({ url: 'https://u:p@127.0.0.2:4430/c.git' });
    await put({ url: 'http://127.0.0.2:4430/c.git' });
    assert.equal(await stored(), 'http://127.0.0.2:4430/c.git');
  });
});

test('pull mirrors are for Maintainers', async () => {
  const pair = await MirrorPair.make(open);
  pair.from.commit('main', { a: '1' });
  await pair.follow();
  const members = await open.make.members(pair.copy);
  const ask = async (token: string | null) => {
    const json = { mirror_trigger_builds: false };
    const answers = [
      await open.get(pair.path, { token }),
      await open.put(pair.path, { token, json }),
      await open.post(pair.path, { token }),
    ];
    return answers.map(({ statusCode }) => statusCode);
  };
  assert.deepEqual(await ask(null), [401, 401, 401]);
  assert.deepEqual(await ask(members.stranger.token), [404, 404, 404]);
  for (const name of ['guest', 'planner', 'reporter', 'developer'] as const) {
    assert.deepEqual(await ask(members[name].token), [403, 403, 403], name);
  }
  for (const name of ['maintainer', 'owner'] as const)
    assert.deepEqual(await ask(members[name].token), [200, 200, 202], name);
  assert.deepEqual(await ask(ROOT_TOKEN), [200, 200, 202]);
  await open.drain();
});
