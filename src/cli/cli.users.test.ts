import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient } from '../../test/support/api-client.ts';
import { startServer } from '../../test/support/server-process.ts';
import { runCommand } from '../../test/support/stithy-command.ts';

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stithy-users-'));
});
after(() => rm(dataDir, { recursive: true, force: true }));

const stithy = (...args: string[]) => runCommand(args, { STITHY_DATA_DIR: dataDir });

const passwordIn = (stdout: string): string => /shown only once: (\S{24})\n$/.exec(stdout)![1]!;

test('users are made and get another password, while the server runs and while it does not', async () => {
  assert.match((await stithy('users', 'create', 'ann', '--email', 'ann@example.org')).stderr, /no database/);
  const server = await startServer({ dataDir });
  const status = (username: string, password: string) =>
    fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'password', username, password }),
    }).then((response) => response.status);
  const made = await stithy('users', 'create', 'ann', '--email', 'ann@example.org', '--full-name', 'Ann Example');
  assert.match(made.stdout, /^Created user ann with id \d+\. /);
  assert.equal(await status('ann', passwordIn(made.stdout)), 200);
  const token = (await stithy('token')).stdout.trim();
  const { text } = await apiClient(server.url, token)('GET', '/users?username=ann');
  const [ann] = JSON.parse(text) as { name: string; is_admin: boolean; email: string }[];
  assert.deepEqual([ann?.name, ann?.is_admin, ann?.email], ['Ann Example', false, 'ann@example.org']);
  const changed = await stithy('users', 'password', 'Ann');
  assert.match(changed.stdout, /^New password of ann, /);
  assert.equal(await status('ann', passwordIn(changed.stdout)), 200);
  assert.equal(await status('ann', passwordIn(made.stdout)), 400);
  await server.stop();

  const refusals = [
    ['create', 'ann', '--email', 'other@example.org'],
    ['create', 'bo', '--email', 'ann@example.org'],
    ['create', 'bo', '--email', 'none'],
    ['create', '-', '--email', 'bo@example.org'],
    ['create', 'bo'],
    ['create'],
    ['password', 'nobody'],
    ['password', 'ann', '--admin'],
    ['remove', 'ann'],
    ['password', 'ann', 'bo'],
  ];
  for (const args of refusals) {
    const { code, stdout, stderr } = await stithy('users', ...args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /^stithy: \S/, args.join(' '));
    assert.doesNotMatch(stderr, /\n {4}at /, args.join(' '));
  }
  const chief = await stithy('users', 'create', 'chief', '--email', 'chief@example.org', '--admin');
  assert.equal(chief.code, 0, chief.stderr);
});
