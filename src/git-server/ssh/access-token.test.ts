import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { oneAuditOf } from '../../../test/support/audit-trail.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { noSsh, publicKey, SshPlace } from '../../../test/support/ssh-user.ts';
import { dayIn } from '../../core/clock.ts';

const USAGE = 'Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]';

describe('personal_access_token over SSH', { skip: noSsh }, () => {
  let app: TestApp;
  let place: SshPlace;
  let user: TestUser;
  let key: string;
  before(async () => {
    app = await buildTestApp();
    place = await SshPlace.of(app);
    user = await app.make.user();
    key = await place.keyOf(user);
  });
  after(async () => {
    place.close();
    await app.close();
  });

  const day = (days: number) => dayIn(app.deps.clock, days);
  const set = async (json: Record<string, unknown>) =>
    void expectStatus(await app.put('/application/settings', { json }), 200);
  const ask = (words: string, by = key) => place.ssh(by, [`personal_access_token ${words}`]);

  async function refused(words: string, text: string, by = key): Promise<void> {
    const { code, stdout, stderr } = await ask(words, by);
    assert.deepEqual([code, stdout], [1, ''], words);
    assert.ok(stderr.includes(`remote: ERROR: ${text}`), `${words}: ${stderr}`);
  }

  test('makes a token that works at once, for so many days, with the audit event of any other', async () => {
    let output = '';
    const event = await oneAuditOf(app, async () => {
      const { code, stdout, stderr } = await ask("'my token' read_api,read_user");
      assert.deepEqual([code, stderr], [0, '']);
      output = stdout;
    });
    const [, token] = /^Token: {3}(\S+)\nScopes: {2}read_api,read_user\nExpires: (\S+)\n$/.exec(output) ?? [];
    assert.ok(output.endsWith(`Expires: ${day(30)}\n`), output);
    assert.deepEqual(
      [event.event_name, event.author_id, event.details.ip_address],
      ['personal_access_token_created', user.user.id, '127.0.0.1'],
    );
    const self = expectStatus<Record<string, unknown>>(
      await app.get('/personal_access_tokens/self', { token: token! }),
      200,
    );
    assert.deepEqual(
      [self.name, self.scopes, self.user_id, self.expires_at, self.active],
      ['my token', ['read_api', 'read_user'], user.user.id, day(30), true],
    );
    expectStatus(await app.post('/projects', { token: token!, json: { name: 'x' } }), 403);
    for (const line of app.logLines) assert.ok(!line.includes(token!), 'the log tells the token');
  });

  test('a token lasts through the last of its days', async () => {
    for (const [ttl, days] of [
      ['0', 1],
      ['7', 8],
    ] as const) {
      assert.ok((await ask(`t api ${ttl}`)).stdout.endsWith(`Scopes:  api\nExpires: ${day(days)}\n`), ttl);
    }
  });

  test('what is no request for a token says how one is', async () => {
    for (const words of ['', 'name', 'name api 3 x']) await refused(words, USAGE);
    for (const ttl of ['x', '-1', '1.5', '1e3', "''"]) {
      await refused(`name api ${ttl}`, `Invalid value for days_ttl: '${ttl.replaceAll("'", '')}'`);
    }
    await refused("' ' api", 'No token name specified');
    await refused(`${'n'.repeat(256)} api`, 'Failed to create token: Name is too long (maximum is 255 characters)');
    const scopes = '"ai_features", "api", "create_runner", "k8s_proxy", "manage_runner", "read_api", "read_registry"';
    for (const scope of ['nonsense', 'sudo', 'admin_mode', 'read_service_ping', '']) {
      await refused(`name api,${scope}`, `Invalid scope: '${scope}'. Valid scopes are: [${scopes}, `);
    }
  });

  test('administrators get no scope of administrators by a key', async () => {
    const admin = await place.keyOf(await app.make.user({ admin: true }));
    await refused('name sudo', "Invalid scope: 'sudo'.", admin);
    assert.equal((await ask('name api', admin)).code, 0);
  });

  test('settings that bound tokens hold', async () => {
    await refused('name api 365', `Failed to create token: expires_at must be before ${day(366)}`);
    await set({ require_personal_access_token_expiry: false });
    assert.ok((await ask('name api 999999999999')).stdout.endsWith(`Expires: ${day(100_001)}\n`));
    await set({ require_personal_access_token_expiry: true, max_personal_access_token_lifetime: 20 });
    await refused('name api', `Failed to create token: expires_at must be before ${day(21)}`);
    assert.equal((await ask('name api 10')).code, 0);
    await set({ max_personal_access_token_lifetime: null });
  });

  test('nobody makes one where they are switched off, and none beside a limit of commands', async () => {
    const before = await app.deps.db
      .selectFrom('access_tokens')
      .selectAll()
      .where('user_id', '=', user.user.id)
      .execute();
    const { token: acting } = expectStatus<{ token: string }>(
      await app.post('/users/1/impersonation_tokens', { json: { name: 'a', scopes: ['api'] } }),
      201,
    );
    await set({ disable_personal_access_tokens: true });
    await refused('name api', '');
    const { stderr } = await ask('name api');
    assert.match(stderr, /ERROR: .*Personal access tokens are disabled on this server\./);
    const back = { disable_personal_access_tokens: false, gitlab_shell_operation_limit: 3 };
    expectStatus(await app.put('/application/settings', { token: acting, json: back }), 200);
    const errors: string[] = [];
    for (let round = 0; round < 8; round += 1) errors.push((await ask('name wrong')).stderr);
    assert.ok(
      errors.some((text) => text.includes('This endpoint has been requested too many times.')),
      errors.join(''),
    );
    await set({ gitlab_shell_operation_limit: 600 });
    const now = await app.deps.db.selectFrom('access_tokens').selectAll().where('user_id', '=', user.user.id).execute();
    assert.equal(now.length, before.length);
  });

  test('nobody makes one in maintenance mode', async () => {
    await set({ maintenance_mode: true });
    const { code, stdout, stderr } = await ask('name api');
    await set({ maintenance_mode: false });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /ERROR: You cannot perform write operations on a read-only instance/);
    assert.equal((await ask('name api')).code, 0);
  });

  test('deploy keys make none, nor does who is blocked', async () => {
    const project = await app.make.project();
    const robot = place.newKey();
    const json = { title: 'robot', key: publicKey(robot), can_push: true };
    expectStatus(await app.post(`/projects/${project.id}/deploy_keys`, { json }), 201);
    await refused('name api', 'Deploy keys cannot be used to create personal access tokens', robot);
    const other = await app.make.user();
    const theirs = await place.keyOf(other);
    expectStatus(await app.post(`/users/${other.user.id}/block`), 201);
    await refused('name api', 'Your account has been blocked.', theirs);
  });
});
