import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { beforeTransaction, meanwhile } from '../../test/support/meanwhile.ts';
import { makeMergeRequest } from '../../test/support/merge-request.ts';
import { ProjectGit } from '../../test/support/project-git.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Scene {
  id: number;
  who: TestUser;
  /** Ids of an approval rule of the project and one of its merge request. */
  rule: number;
  own: number;
}

/** Makes a project with two protections, two rules, an approval and a snippet, and a Maintainer. */
async function scene(): Promise<Scene> {
  const project = await app.make.project();
  const { id } = project;
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: base });
  git.run(['branch', 'other', base]);
  const who = await app.make.user();
  await app.make.member({ project }, who.user, 40);
  const { iid } = await makeMergeRequest(app, project, { source_branch: 'topic' });
  assert.equal(iid, 1);
  expectStatus(await app.post(`/projects/${id}/protected_branches`, { json: { name: 'main' } }), 201);
  expectStatus(await app.post(`/projects/${id}/protected_tags`, { json: { name: 'v*' } }), 201);
  const json = { name: 'one', approvals_required: 1, user_ids: [1] };
  const rule = expectStatus(await app.post(`/projects/${id}/approval_rules`, { json }), 201);
  const own = await app.post(`/projects/${id}/merge_requests/1/approval_rules`, { json: { ...json, name: 'own' } });
  return { id, who, rule: Number(rule.id), own: Number(expectStatus(own, 201).id) };
}

/** Writes of a Maintainer within one transaction. */
const ACTS: Record<
  string,
  [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: (made: Scene) => string, json?: object]
> = {
  'protect a branch': ['POST', () => 'protected_branches', { name: 'x' }],
  'change the protection of a branch': ['PATCH', () => 'protected_branches/main', { allow_force_push: true }],
  'unprotect a branch': ['DELETE', () => 'protected_branches/main'],
  'protect a tag': ['POST', () => 'protected_tags', { name: 'x' }],
  'unprotect a tag': ['DELETE', () => 'protected_tags/v*'],
  'protect a branch in the old way': ['PUT', () => 'repository/branches/other/protect', {}],
  'unprotect a branch in the old way': ['PUT', () => 'repository/branches/main/unprotect', {}],
  'give the project a rule': ['POST', () => 'approval_rules', { name: 'x', approvals_required: 0 }],
  'change a rule of the project': ['PUT', ({ rule }) => `approval_rules/${rule}`, { approvals_required: 0 }],
  'take a rule of the project away': ['DELETE', ({ rule }) => `approval_rules/${rule}`],
  'change how the project is approved': ['POST', () => 'approvals', { reset_approvals_on_push: false }],
  'give a merge request a rule': [
    'POST',
    () => 'merge_requests/1/approval_rules',
    { name: 'x', approvals_required: 0 },
  ],
  'change a rule of a merge request': [
    'PUT',
    ({ own }) => `merge_requests/1/approval_rules/${own}`,
    { approvals_required: 0 },
  ],
  'take a rule of a merge request away': ['DELETE', ({ own }) => `merge_requests/1/approval_rules/${own}`],
  approve: ['POST', () => 'merge_requests/1/approve', {}],
  'change a merge request': ['PUT', () => 'merge_requests/1', { target_branch: 'other' }],
  'change the project': ['PUT', () => '', { merge_method: 'ff' }],
  'make a snippet': [
    'POST',
    () => 'snippets',
    { title: 'x', visibility: 'private', files: [{ file_path: 'f', content: 'x' }] },
  ],
};

describe('what was let in is refused in its transaction', () => {
  for (const [name, [method, path, json]] of Object.entries(ACTS)) {
    test(name, async () => {
      const made = await scene();
      const { id, who } = made;
      const at = `/projects/${id}/${path(made)}`.replace(/\/$/, '');
      const act = () => app.request(method, at, { token: who.token, ...(json === undefined ? {} : { json }) });
      const before = await stateOf(id);
      beforeTransaction(app, async () => expectStatus(await app.delete(`/projects/${id}/members/${who.user.id}`), 204));
      const { statusCode, body } = await act();
      assert.ok([401, 403, 404].includes(statusCode), `${statusCode} ${body}`);
      assert.deepEqual(await stateOf(id), before);
      const project = await app.deps.db
        .selectFrom('projects')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await app.make.member({ project }, who.user, 40);
      assert.ok((await act()).statusCode < 300, 'it would have been done');
    });
  }
});

/** Everything that these writes change. */
async function stateOf(id: number): Promise<unknown> {
  const { db } = app.deps;
  const rows = async (path: string) => expectStatus<unknown>(await app.get(`/projects/${id}/${path}`), 200);
  const project = await db.selectFrom('projects').select('settings').where('id', '=', id).executeTakeFirstOrThrow();
  const change = db.selectFrom('merge_requests').select(['id', 'target_branch']).where('project_id', '=', id);
  const input = await db
    .selectFrom('approvals')
    .select('user_id')
    .where(
      'merge_request_id',
      'in',
      (await change.execute()).map((row) => row.id),
    )
    .execute();
  return [
    await rows('protected_branches'),
    await rows('protected_tags'),
    await rows('approval_rules'),
    await rows('merge_requests/1/approval_rules'),
    await rows('snippets'),
    project.settings,
    (await change.execute()).map((row) => row.target_branch),
    input.map((row) => row.user_id),
  ];
}

test('the default branch does not change for who loses the right while the change waits', async () => {
  const { id, who } = await scene();
  meanwhile(app, async () => expectStatus(await app.delete(`/projects/${id}/members/${who.user.id}`), 204));
  expectStatus(await app.put(`/projects/${id}`, { token: who.token, json: { default_branch: 'other' } }), 404);
  assert.equal(expectStatus(await app.get(`/projects/${id}`), 200).default_branch, 'main');
});

describe('whoever has lost a right before the transaction begins', () => {
  const lock = (path: string, token: string, what: string, payload: object) =>
    app.instance.server.app.inject({
      method: 'POST',
      url: `/${path}.git/info/lfs/locks${what}`,
      headers: {
        authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
        'content-type': 'application/vnd.git-lfs+json',
        accept: 'application/vnd.git-lfs+json',
      },
      payload: JSON.stringify(payload),
    });

  test('neither locks nor unlocks files', async () => {
    const project = await app.make.project();
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 40);
    const level = (access_level: number) =>
      app.deps.db.updateTable('members').set({ access_level }).where('user_id', '=', user.id).execute();
    const mine = await lock(project.full_path, token, '', { path: 'mine' });
    assert.equal(mine.statusCode, 201);
    const { id } = mine.json<{ lock: { id: string } }>().lock;
    beforeTransaction(app, () => level(10));
    assert.equal((await lock(project.full_path, token, '', { path: 'a' })).statusCode, 403);
    await level(40);
    beforeTransaction(app, () => level(10));
    assert.equal((await lock(project.full_path, token, `/${id}/unlock`, {})).statusCode, 403);
    const locks = await app.deps.db
      .selectFrom('lfs_locks')
      .select('path')
      .where('project_id', '=', project.id)
      .execute();
    assert.deepEqual(
      locks.map(({ path }) => path),
      ['mine'],
    );
  });

  test('does not change the protections of a group', async () => {
    const group = await app.make.group();
    const { user, token } = await app.make.user();
    await app.make.member({ group }, user, 50);
    const level = (access_level: number) =>
      app.deps.db.updateTable('members').set({ access_level }).where('user_id', '=', user.id).execute();
    const path = `/groups/${group.id}/protected_branches`;
    expectStatus(await app.post(path, { json: { name: 'main' } }), 201);
    for (const act of [
      () => app.post(path, { token, json: { name: 'other' } }),
      () => app.patch(`${path}/main`, { token, json: { allow_force_push: true } }),
      () => app.delete(`${path}/main`, { token }),
    ]) {
      await level(50);
      beforeTransaction(app, () => level(10));
      expectStatus(await act(), 403);
    }
    const left = expectStatus<{ name: string; allow_force_push: boolean }[]>(await app.get(path), 200);
    assert.deepEqual(
      left.map(({ name, allow_force_push }) => [name, allow_force_push]),
      [['main', false]],
    );
  });
});
