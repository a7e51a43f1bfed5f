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
  dataDir = await mkdtemp(join(tmpdir(), 'stithy-tokens-'));
});
after(() => rm(dataDir, { recursive: true, force: true }));

const stithy = (args: string[]) => runCommand(args, { STITHY_DATA_DIR: dataDir });

test('tokens are listed without themselves and revoked while the server runs', async (t) => {
  const none = await stithy(['tokens']);
  assert.deepEqual([none.code, /no database/.test(none.stderr)], [2, true]);
  const server = await startServer({ dataDir });
  t.after(() => server.stop());
  const made = (await stithy(['token'])).stdout.trim();
  assert.equal((await apiClient(server.url, made)('GET', '/user')).status, 200);
  const { stdout } = await stithy(['tokens', 'list', '--user', 'root', '--json']);
  const [newest] = JSON.parse(stdout) as { id: number; username: string }[];
  assert.equal(newest?.username, 'root');
  assert.ok(!stdout.includes(made));
  assert.match((await stithy(['tokens'])).stdout, new RegExp(`^${newest.id} {2}root {2}"root token" {2}api,`));
  assert.equal((await stithy(['tokens', 'list', '--user', 'nobody'])).stdout, 'No tokens found.\n');
  assert.equal(
    (await stithy(['tokens', 'revoke', String(newest.id)])).stdout,
    `Token ${newest.id} has been revoked.\n`,
  );
  assert.equal((await apiClient(server.url, made)('GET', '/user')).status, 401);
  for (const args of [['revoke'], ['revoke', 'x'], ['revoke', '999999'], ['drop'], ['list', '--limit', '0']]) {
    const refused = await stithy(['tokens', ...args]);
    assert.deepEqual([refused.code, refused.stdout], [2, ''], args.join(' '));
  }
});
