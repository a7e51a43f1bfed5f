import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { type Stithy, start } from '../../src/index.ts';
import { cloneUrl, mustGit } from '../support/git-client.ts';
import { temporaryFolder } from '../support/git-fixture.ts';

/** A server in this process that has to stay as it is, whatever becomes of another one. */
let well: Stithy;
before(async () => {
  well = await start({ bench: true, ephemeral: true, seed: { projects: [{ path: 'web', namespace: 'root' }] } });
});
after(() => well?.stop());

const SLOW_CLONES = 20;
const CALLS = 300;
/** Requests to a server that share the process with one that is loaded wait for its work, not for its queues. */
const PATIENCE_MS = 10_000;

/** Asks for everything: reads, writes, git over HTTP, background work, a snapshot and a restore. */
async function useAll(t: TestContext, name: string): Promise<void> {
  const tree = join(temporaryFolder(t), 'tree');
  await mustGit(join(tree, '..'), ['clone', '--quiet', cloneUrl(well.url, 'root/web', well.token!), tree]);
  await mustGit(tree, ['switch', '--quiet', '--create', name]);
  await mustGit(tree, ['commit', '--quiet', '--allow-empty', '--message', name]);
  await well.snapshot(name);
  await mustGit(tree, ['push', '--quiet', 'origin', name]);
  const { iid } = await well.api<{ iid: number }>('POST', '/projects/root%2Fweb/issues', { title: name });
  await well.idle();
  const branches = () => well.api<{ name: string }[]>('GET', '/projects/root%2Fweb/repository/branches');
  assert.ok((await branches()).some((branch) => branch.name === name));
  await well.restore(name);
  assert.ok(!(await branches()).some((branch) => branch.name === name));
  assert.equal((await well.api('GET', `/projects/root%2Fweb/issues/${iid}`, undefined, { raw: true })).status, 404);
}

test('a server whose data are gone fails alone, and can be stopped', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const settings = { STITHY_PORT: '0', STITHY_DATA_DIR: dataDir, STITHY_SYNC: 'off' };
  const broken = await start({ bench: true, settings });
  const files = '/projects/root%2Fgone/repository/files/a.txt';
  const file = { branch: 'main', commit_message: 'One', content: 'one' };
  await broken.api('POST', '/projects', { path: 'gone', initialize_with_readme: true });
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  const { status } = await broken.api('POST', files, file, { raw: true });
  assert.ok(status >= 400, String(status));
  const snapshot = await broken.api('POST', '/-/bench/snapshots', { name: 'gone' }, { raw: true });
  assert.ok(snapshot.status >= 400, String(snapshot.status));
  await useAll(t, 'beside-a-broken-one');
  await broken.stop();
  await useAll(t, 'after-a-broken-one');
});

/** Begins a clone of which nothing is read. */
async function slowClone({ url, token }: Stithy): Promise<IncomingMessage> {
  const call = request(`${url}/root/large.git/git-upload-pack`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`root:${token}`).toString('base64')}`,
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
    },
  });
  const head = await (await fetch(`${url}/api/v4/projects/root%2Flarge/repository/commits/main`)).json();
  const want = `want ${(head as { id: string }).id}\n`;
  const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
  call.end(`${line('command=fetch')}0001${line('no-progress')}${line(want)}${line('done\n')}0000`);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  return answer.pause();
}

test('a server that is loaded leaves the others their turns', async (t) => {
  const content = { base64: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64') };
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}.bin`, content]));
  const project = { path: 'large', namespace: 'root', visibility: 'public', commits: [{ message: 'Large', files }] };
  const loaded = await start({ bench: true, ephemeral: true, seed: { projects: [project] } });
  t.after(() => loaded.stop());
  const clones = await Promise.all(Array.from({ length: SLOW_CLONES }, () => slowClone(loaded)));
  const calls = Array.from({ length: CALLS }, (_, at) =>
    loaded.api(
      at % 2 === 0 ? 'POST' : 'GET',
      '/projects/root%2Flarge/issues',
      at % 2 === 0 ? { title: `${at}` } : undefined,
    ),
  );
  const begun = performance.now();
  await well.api('GET', '/projects/root%2Fweb/issues');
  const waited = performance.now() - begun;
  assert.ok(waited < PATIENCE_MS, `${waited} ms`);
  await useAll(t, 'beside-a-loaded-one');
  await Promise.all(calls);
  for (const clone of clones) clone.destroy();
});
