import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient, type Call } from '../../support/api-client.ts';
import { cloneUrl, runGitClient } from '../../support/git-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { fill, onSmallDisk } from '../small-disk.ts';
import { readiness, until } from '../until.ts';

const SIZE = '96m';

/** Every kind of write, each under a name of its own. */
async function writes(
  call: Call,
  project: number,
  name: string,
): Promise<Map<string, { status: number; text: string }>> {
  const at = `/projects/${project}`;
  const content = name.repeat(20_000);
  const action = { action: 'create', file_path: `${name}.txt`, content };
  const form = new FormData();
  form.set(
    'avatar',
    new Blob(
      [
        Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        ),
      ],
      { type: 'image/png' },
    ),
    `${name}.png`,
  );
  const answers = new Map<string, { status: number; text: string }>();
  for (const [what, method, path, body] of [
    ['commit', 'POST', `${at}/repository/commits`, { branch: 'main', commit_message: name, actions: [action] }],
    ['branch', 'POST', `${at}/repository/branches`, { branch: name, ref: 'main' }],
    ['tag', 'POST', `${at}/repository/tags`, { tag_name: `t-${name}`, ref: 'main', message: 'annotated' }],
    ['issue', 'POST', `${at}/issues`, { title: name, description: content }],
    ['project', 'POST', '/projects', { path: name, initialize_with_readme: true }],
    ['snippet', 'POST', '/snippets', { title: name, visibility: 'private', files: [{ file_path: 'a', content }] }],
    ['avatar', 'PUT', at, form],
  ] as const) {
    const { status, text } = await call(method, path, body);
    answers.set(what, { status, text });
  }
  return answers;
}

async function push(lab: Lab, url: string, name: string): Promise<{ code: number; stderr: string }> {
  const clone = join(lab.folder, `clone-${name}`);
  const git = (args: string[], cwd = clone) => runGitClient(cwd, args);
  assert.equal((await git(['clone', '--quiet', cloneUrl(url, 'root/p', ROOT_TOKEN), clone], lab.folder)).code, 0);
  await git(['switch', '--quiet', '-c', `pushed-${name}`]);
  await git(['-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '--allow-empty', '-m', name]);
  const { code, stderr } = await git(['push', 'origin', `pushed-${name}`]);
  return { code, stderr: String(stderr) };
}

/** A server on a full disk says so everywhere, keeps what it has, and goes on when there is room again. */
export default {
  title: 'the disk of the data folder full, then not',
  run: (lab) => onSmallDisk(lab, SIZE, (disk) => onFullDisk(lab, disk)),
} satisfies Experiment;

async function onFullDisk(lab: Lab, disk: string): Promise<void> {
  const dataDir = join(disk, 'data');
  const settings = await lab.newDatabase();
  const server = await lab.start(dataDir, settings);
  const call = apiClient(server.url, ROOT_TOKEN);
  const made = await call<{ id: number }>('POST', '/projects', { path: 'p', initialize_with_readme: true });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  for (const [what, { status, text }] of await writes(call, id, 'before'))
    assert.ok(status < 300, `${what}: ${status} ${text}`);
  fill(disk);
  await until('readiness tells it', async () => (await readiness(server.url)) === 503);
  const statuses: string[] = [];
  for (const [what, { status, text }] of await writes(call, id, 'full')) {
    statuses.push(`${what} ${status}`);
    assert.ok(status === 507 || status < 300, `${what}: ${status} ${text}`);
    if (status === 507) assert.match(JSON.parse(text).message, /disk of the server is full/);
  }
  lab.say(`on the full disk: ${statuses.join(', ')}`);
  assert.ok(statuses.some((status) => status.endsWith('507')));
  const pushed = await push(lab, server.url, 'full');
  assert.notEqual(pushed.code, 0);
  lab.say(`git says: ${pushed.stderr.trim().split('\n')[0]}`);
  assert.match(pushed.stderr, /full|No space left/i);
  assert.equal((await call('GET', `/projects/${id}/repository/files/before.txt?ref=main`)).status, 200);
  rmSync(join(disk, 'filler'));
  await until('readiness is true again', async () => (await readiness(server.url)) === 200);
  for (const [what, { status, text }] of await writes(call, id, 'after'))
    assert.ok(status < 300, `${what}: ${status} ${text}`);
  assert.equal((await push(lab, server.url, 'after')).code, 0);
  assert.equal(await server.stop(), 0);
  const again = await lab.start(dataDir, settings);
  const { text } = await apiClient(again.url, ROOT_TOKEN)(
    'GET',
    `/projects/${id}/repository/files/after.txt/raw?ref=main`,
  );
  assert.ok(text.startsWith('after'));
  lab.say('with room again all of it works, and after a restart');
}
