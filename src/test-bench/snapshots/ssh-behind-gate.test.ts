import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, expectStatus } from '../../../test/support/app.ts';
import { temporaryFolder } from '../../../test/support/git-fixture.ts';
import { noSsh, publicKey, sshKeygen } from '../../../test/support/ssh-user.ts';
import { LIMITS } from '../../git-server/ssh/ssh-server.limits.ts';
import { serveSsh } from '../../git-server/ssh/ssh-server.server.ts';

const COMMAND = ['personal_access_token', 'made-over-ssh', 'api'];

test('a command whose client has left while it waited for the gate is not run', { skip: noSsh }, async (t) => {
  const app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  t.after(() => app.close());
  const key = sshKeygen(temporaryFolder(t), 'key', '-t', 'ed25519');
  chmodSync(key, 0o600);
  expectStatus(await app.post('/user/keys', { json: { title: 'key', key: publicKey(key) } }), 201);
  let calls = 0;
  let waitFrom = Number.POSITIVE_INFINITY;
  let opened = Promise.withResolvers<void>();
  const server = await serveSsh(app.deps, '127.0.0.1', 0, LIMITS, async () => {
    calls += 1;
    if (calls >= waitFrom) await opened.promise;
    return () => {};
  });
  t.after(() => server.close());
  const options = ['UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=no', 'IdentitiesOnly=yes', 'BatchMode=yes'];
  const connect = () => {
    const words = ['-F', '/dev/null', '-i', key, '-p', String(server.port), ...options.flatMap((each) => ['-o', each])];
    return spawn('ssh', [...words, 'git@127.0.0.1', ...COMMAND], { stdio: 'ignore' });
  };
  const tokens = () =>
    app.deps.db.selectFrom('access_tokens').select('id').where('name', '=', 'made-over-ssh').execute();
  const uses = () => app.deps.db.selectFrom('ssh_keys').select('last_used_at').execute();

  await once(connect(), 'close');
  assert.equal((await tokens()).length, 1);
  const all = calls;
  await app.deps.db.updateTable('ssh_keys').set({ last_used_at: null }).execute();
  // The last two are for the note that the key was used, and for the command.
  [calls, waitFrom] = [0, all - 1];
  const second = connect();
  const ended = once(second, 'close');
  for (let tries = 0; calls < all && tries < 400; tries += 1) await sleep(5);
  assert.equal(calls, all);
  second.kill('SIGKILL');
  await ended;
  server.disconnect();
  opened.resolve();
  for (let turns = 0; turns < 50; turns += 1) await sleep(1);
  assert.equal((await tokens()).length, 1);
  assert.deepEqual(
    (await uses()).map(({ last_used_at }) => last_used_at),
    [null],
  );
  // Another one works.
  [calls, waitFrom, opened] = [0, Number.POSITIVE_INFINITY, Promise.withResolvers<void>()];
  await once(connect(), 'close');
  assert.equal((await tokens()).length, 2);
});
