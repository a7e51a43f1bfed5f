import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient, type Call } from '../support/api-client.ts';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { cloneUrl, mustGit } from '../support/git-client.ts';

const BINARY = Buffer.from(Array.from({ length: 2_048 }, (_, index) => (index * 31) % 256));
const TEXT = 'Grüße, "quotes" & <tags>\r\nline 2\n\ttab\n=+%2F\n';

let app: TestApp;
let call: Call;
let url: string;
let folder: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  call = apiClient(url, ROOT_TOKEN);
  folder = mkdtempSync(join(tmpdir(), 'stithy-e2e-'));
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

type Field = string | boolean;
type Action = Record<string, Field>;

const ACTIONS: Action[] = [
  { action: 'create', file_path: 'new/tëxt file.txt', content: TEXT },
  { action: 'create', file_path: 'new/data.bin', content: BINARY.toString('base64'), encoding: 'base64' },
  { action: 'create', file_path: 'run.sh', content: '#!/bin/sh\n', execute_filemode: true },
  { action: 'update', file_path: 'changed.txt', content: `changed\n${TEXT}` },
  { action: 'move', file_path: 'moved/to.bin', previous_path: 'from.bin' },
  { action: 'delete', file_path: 'gone.txt' },
  { action: 'chmod', file_path: 'tool', execute_filemode: true },
];

/** What a clone of the branch must hold: mode and bytes of each file. */
const EXPECTED: Record<string, [string, Buffer]> = {
  'README.md': ['100644', Buffer.from('kept\n')],
  'new/tëxt file.txt': ['100644', Buffer.from(TEXT)],
  'new/data.bin': ['100644', BINARY],
  'run.sh': ['100755', Buffer.from('#!/bin/sh\n')],
  'changed.txt': ['100644', Buffer.from(`changed\n${TEXT}`)],
  'moved/to.bin': ['100644', BINARY],
  tool: ['100755', Buffer.from('a tool\n')],
};

/** Fields as forms carry them: one `actions[][field]` after the other, where a repeated field starts the next action. */
function fields(branch: string): [string, string][] {
  const list = ACTIONS.flatMap((action) =>
    Object.entries(action).map(([name, value]): [string, string] => [`actions[][${name}]`, String(value)]),
  );
  return [['branch', branch], ['commit_message', `by ${branch}`], ['author_name', 'Grace'], ...list];
}

function form(branch: string): URLSearchParams {
  return new URLSearchParams(fields(branch));
}

function multipart(branch: string): FormData {
  const body = new FormData();
  for (const [name, value] of fields(branch)) {
    // Fields get the line ends of forms; a file is taken as it is.
    if (value.includes('\n')) body.append(name, new Blob([value]), 'content');
    else body.append(name, value);
  }
  return body;
}

const json = (branch: string) => ({
  branch,
  commit_message: `by ${branch}`,
  author_name: 'Grace',
  actions: ACTIONS,
});

/** A project made through the API, and pushed to with git. */
async function pushedProject(path: string): Promise<{ id: number; address: string }> {
  const made = await call<{ id: number; path_with_namespace: string }>('POST', '/projects', { path });
  assert.equal(made.status, 201, made.text);
  const work = join(folder, `${path}-work`);
  await mustGit(folder, ['init', '--quiet', '--initial-branch=main', work]);
  const files = {
    'README.md': 'kept\n',
    'changed.txt': 'before\n',
    'from.bin': BINARY,
    'gone.txt': 'soon\n',
    tool: 'a tool\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(work, name), content);
  await mustGit(work, ['add', '--all']);
  await mustGit(work, ['commit', '--quiet', '--message', 'pushed']);
  const address = cloneUrl(url, made.body.path_with_namespace, ROOT_TOKEN);
  const branches = ['main', 'json', 'form', 'multipart'].map((branch) => `main:${branch}`);
  await mustGit(work, ['push', '--quiet', address, ...branches]);
  return { id: made.body.id, address };
}

test('a commit with all five actions, in every encoding, is cloned as it was sent', async (t) => {
  const { id, address } = await pushedProject('actions');
  const bodies = { json, form, multipart };
  for (const [branch, encode] of Object.entries(bodies)) {
    await t.test(branch, async () => {
      const parent = await call<{ commit: { id: string } }>('GET', `/projects/${id}/repository/branches/${branch}`);
      const answer = await call<{ id: string; parent_ids: string[]; message: string; author_name: string }>(
        'POST',
        `/projects/${id}/repository/commits`,
        encode(branch),
      );
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(answer.body.parent_ids, [parent.body.commit.id]);
      assert.equal(answer.body.author_name, 'Grace');

      const clone = join(folder, `${branch}-clone`);
      await mustGit(folder, ['clone', '--quiet', '--branch', branch, address, clone]);
      assert.equal(await mustGit(clone, ['rev-parse', 'HEAD']), answer.body.id);
      const tree = await mustGit(clone, ['ls-tree', '-r', '-z', 'HEAD']);
      const entries = tree.split('\0').filter((line) => line !== '');
      const modes = Object.fromEntries(entries.map((line) => [line.split('\t')[1], line.slice(0, 6)]));
      assert.deepEqual(modes, Object.fromEntries(Object.entries(EXPECTED).map(([path, [mode]]) => [path, mode])));
      for (const [path, [, content]] of Object.entries(EXPECTED)) {
        assert.deepEqual(readFileSync(join(clone, path)), content, path);
      }
      await mustGit(clone, ['fsck', '--full', '--strict']);
    });
  }
});

test('a refused action leaves no trace of the others', async () => {
  const { id, address } = await pushedProject('refused');
  const before = await mustGit(folder, ['ls-remote', address]);
  const actions = [ACTIONS[0], { action: 'delete', file_path: 'is-not-there.txt' }];
  const answer = await call('POST', `/projects/${id}/repository/commits`, { ...json('main'), actions });
  assert.equal(answer.status, 400, answer.text);
  assert.equal(await mustGit(folder, ['ls-remote', address]), before);
});
