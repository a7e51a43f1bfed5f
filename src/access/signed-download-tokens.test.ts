import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { holdJob } from '../../test/support/artifacts.ts';
import { tokenDigest } from '../core/core.secrets.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { callerOfDeployToken } from './git-credentials.ts';
import { callerOfJobToken } from './job-token-caller.ts';
import { callerOfDownloadToken, objectOfDownloadToken, signDownloadToken } from './signed-download-tokens.ts';
import { callerOfToken } from './token-caller.ts';

let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = new TestClock();
  app = await buildTestApp({ clock });
});
after(() => app.close());

const USE = { purpose: 'reading', object: 7 };
const make = async (caller: Caller) => (await signDownloadToken(app.deps, caller, USE, 60))!;
const read = (pass: string, purpose = USE.purpose) => callerOfDownloadToken(app.deps, pass, purpose);

/** A caller with each kind of credential that can have tokens, and a function that revokes the credential. */
const KINDS: Record<string, () => Promise<{ caller: Caller; revoke(): Promise<unknown> }>> = {
  'an access token': async () => {
    const { token } = await app.make.user({ scopes: ['read_api'] });
    const revoke = () =>
      app.deps.db.updateTable('access_tokens').set({ revoked: 1 }).where('digest', '=', tokenDigest(token)).execute();
    return { caller: (await callerOfToken(app.deps, token, ''))!, revoke };
  },
  'a token of OAuth': async () => {
    const { user } = await app.make.user();
    const digest = tokenDigest(`oauth-${user.id}`);
    const values = { user_id: user.id, digest, scopes: '["api"]', created_at: clock.now().toISOString() };
    await app.deps.db.insertInto('oauth_tokens').values(values).execute();
    const revoke = () =>
      app.deps.db.updateTable('oauth_tokens').set({ revoked_at: '2026-01-01' }).where('digest', '=', digest).execute();
    return { caller: (await callerOfToken(app.deps, `oauth-${user.id}`, ''))!, revoke };
  },
  'a deploy token': async () => {
    const project = await app.make.project();
    const json = { name: 'deploy', scopes: ['read_package_registry'] };
    const { id, token } = (await app.post(`/projects/${project.id}/deploy_tokens`, { json })).json();
    const revoke = () => app.deps.db.updateTable('deploy_tokens').set({ revoked: 1 }).where('id', '=', id).execute();
    return { caller: (await callerOfDeployToken(app.deps, null, token))!, revoke };
  },
  'the token of a job': async () => {
    const { user } = await app.make.user();
    const held = await holdJob(app, await app.make.project(), { columns: { user_id: user.id } });
    const revoke = () =>
      app.deps.db.updateTable('ci_jobs').set({ status: 'success' }).where('id', '=', held.job.id).execute();
    return { caller: (await callerOfJobToken(app.deps, held.token))!, revoke };
  },
};

describe('a pass', () => {
  for (const [kind, begin] of Object.entries(KINDS)) {
    test(`stands for whoever showed ${kind}, as long as that is good`, async () => {
      const { caller, revoke } = await begin();
      const pass = await make(caller);
      const tokenCaller = await read(pass);
      assert.equal(await objectOfDownloadToken(app.deps, pass, USE.purpose), 7);
      assert.equal(tokenCaller?.user?.id, caller.user?.id);
      assert.deepEqual(tokenCaller?.scopes, caller.scopes);
      assert.equal(tokenCaller?.credential.kind, caller.credential.kind);
      await revoke();
      await assert.rejects(read(pass), { status: 401 });
    });
  }

  test('is good for its time and its purpose alone', async () => {
    const { caller } = await KINDS['an access token']!();
    const pass = await make(caller);
    assert.equal(await read(pass, 'writing'), undefined);
    assert.equal(await objectOfDownloadToken(app.deps, pass, 'writing'), undefined);
    clock.advance(59_000);
    assert.notEqual(await read(pass), undefined);
    clock.advance(1_000);
    assert.equal(await read(pass), undefined);
  });

  test('that somebody else wrote is none', async () => {
    const { caller } = await KINDS['an access token']!();
    const pass = await make(caller);
    const [text = '', signature = ''] = pass.split('.');
    const other = JSON.parse(Buffer.from(text, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...other, object: 8 })).toString('base64url');
    for (const wrong of [
      `${forged}.${signature}`,
      `${text}.${'A'.repeat(43)}`,
      text,
      `${text}.`,
      '',
      '.',
      `${'a'.repeat(5_000)}.${signature}`,
    ]) {
      assert.equal(await read(wrong), undefined, wrong.slice(0, 60));
    }
  });

  test('is not made for those whom nothing names that lasts', async () => {
    const { caller } = await KINDS['an access token']!();
    for (const who of [
      ANONYMOUS,
      { ...caller, credential: { kind: 'password' } as const },
      { ...caller, sudoBy: caller.user },
    ]) {
      assert.equal(await signDownloadToken(app.deps, who, USE, 60), null);
    }
  });

  test('of a user who is blocked is refused', async () => {
    const { caller } = await KINDS['an access token']!();
    const pass = await make(caller);
    await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', caller.user!.id).execute();
    await assert.rejects(read(pass), { status: 403 });
  });
});
