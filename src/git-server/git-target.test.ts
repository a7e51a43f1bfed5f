import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';
import { callerOfToken } from '../access/token-caller.ts';
import type { PushCommands } from '../git/transport/index.ts';
import type { MovedPush, Push } from '../repositories/pushes/move-pushed-refs.ts';
import { authorizeGit } from './git-server.access.ts';
import { receiverOf } from './git-server.push.ts';
import type { GitTarget } from './git-target.ts';

let app: TestApp;
let path: string;
let projectId: number;
let snippetId: number;
let oid: string;
before(async () => {
  app = await buildTestApp();
  const project = await app.make.project();
  path = project.full_path;
  projectId = project.id;
  oid = (await commitFiles(app, project.id, { 'a.txt': 'a\n' })).id;
  const json = { title: 'One', visibility: 'private', files: [{ file_path: 'a.txt', content: 'a\n' }] };
  snippetId = expectStatus<{ id: number }>(await app.post('/snippets', { json }), 201).id;
  const page = { title: 'home', content: 'one\n' };
  expectStatus(await app.post(`/projects/${project.id}/wikis`, { json: page }), 201);
});
after(() => app.close());

async function targetAt(path: string): Promise<GitTarget> {
  const caller = await callerOfToken(app.deps, ROOT_TOKEN, '127.0.0.1');
  return authorizeGit(app.deps, caller!, path, 'write');
}

const commands = (updates: PushCommands['updates']): PushCommands =>
  Object.freeze({ updates: Object.freeze(updates), pushOptions: Object.freeze([]), quarantineEnv: {} });
const create = (ref: string, oid: string) => ({ ref, old: null, new: oid });

test('a push is a new frozen object at each stage, with all that the stage before knew', async () => {
  const target = await targetAt(path);
  const seen: { checked?: Push; moved?: MovedPush } = {};
  const receive = receiverOf(app.deps, {
    ...target,
    check: (deps, push) => {
      seen.checked = push;
      return target.check(deps, push);
    },
    after: (deps, push) => {
      seen.moved = push;
      return target.after(deps, push);
    },
  });
  const pushCommands = commands([create('refs/heads/one', oid), create('refs/tags/two', oid)]);
  const verdict = await receive(pushCommands);
  assert.ok(verdict.ok);
  // Git has refused the tag.
  const { reasons, message } = await verdict.move(pushCommands.updates.slice(0, 1), false);
  assert.deepEqual(reasons, [null]);
  assert.match(message!, /To create a merge request for one, visit/);
  const { checked, moved } = seen;
  assert.ok(Object.isFrozen(checked) && Object.isFrozen(moved));
  assert.deepEqual(checked, { ...pushCommands, holder: target.holder, userId: target.caller.user!.id, via: 'git' });
  const { guard, ...rest } = moved!;
  assert.equal(typeof guard, 'function');
  assert.deepEqual(rest, { ...checked, updates: pushCommands.updates.slice(0, 1), atomic: false, reasons: [null] });
  const branches = expectStatus<{ name: string }[]>(await app.get(`/projects/${projectId}/repository/branches`), 200);
  assert.deepEqual(branches.map(({ name }) => name).sort(), ['main', 'one']);
});

describe('one way of a push, whatever it goes to', () => {
  const refusals = {
    project: [() => path, /This ref is reserved for the server|You are not allowed/],
    snippet: [() => `snippets/${snippetId}`, /You can not create or delete branches/],
    wiki: [() => `${path}.wiki`, /This ref is reserved for the server/],
  } as const;
  for (const [type, [pathOf, reason]] of Object.entries(refusals)) {
    test(`refuses by the rules of a ${type}`, async () => {
      const target = await targetAt(pathOf());
      assert.equal(target.holder.type, type);
      assert.equal(target.inProject !== null, type === 'project');
      const verdict = await receiverOf(app.deps, target)(commands([create('refs/merge-requests/1/head', oid)]));
      assert.ok(!verdict.ok);
      assert.match(verdict.message, reason);
    });

    test(`refuses a ${type} that is read-only, without a check`, async () => {
      const target = { ...(await targetAt(pathOf())), readOnly: true, check: () => assert.fail('checked') };
      const verdict = await receiverOf(app.deps, target)(commands([create('refs/heads/three', oid)]));
      assert.deepEqual(verdict, {
        ok: false,
        message: 'Stithy: The repository is temporarily read-only. Please try again later.',
      });
    });
  }
});
