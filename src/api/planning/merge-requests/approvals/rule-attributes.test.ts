import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Rule {
  id: number;
  name: string;
  approvals_required: number;
  users: { id: number }[];
}

async function world() {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const git = new ProjectGit(app, project);
  const start = git.commit('main', { a: '1' });
  for (const branch of ['one', 'two']) git.commit(branch, { b: branch }, { start });
  const path = `/projects/${project.id}/merge_requests`;
  const create = (source_branch: string, approval_rules_attributes: unknown, token = people.developer.token) =>
    app.post(path, {
      token,
      json: { source_branch, target_branch: 'main', title: 't', approval_rules_attributes },
    });
  const rules = async (iid: number) =>
    expectStatus<Rule[]>(await app.get(`${path}/${iid}/approval_rules`), 200).map(
      ({ name, approvals_required, users }) => [name, approvals_required, users.map(({ id }) => id)],
    );
  return { project, people, path, create, rules };
}

test('approval_rules_attributes were passed over: now they make rules with the merge request', async () => {
  const { project, people, create, rules, path } = await world();
  const json = { name: 'security', approvals_required: 1, user_ids: [people.owner.user.id] };
  const source = expectStatus<Rule>(await app.post(`/projects/${project.id}/approval_rules`, { json }), 201);
  const attributes = [
    { name: 'design', approvals_required: 2, user_ids: [people.maintainer.user.id] },
    { ...json, approvals_required: 3, approval_project_rule_id: source.id },
  ];
  const { iid } = expectStatus<{ iid: number }>(await create('one', attributes), 201);
  assert.deepEqual((await rules(iid)).sort(), [
    ['design', 2, [people.maintainer.user.id]],
    ['security', 3, [people.owner.user.id]],
  ]);
  const form = new URLSearchParams([
    ['source_branch', 'two'],
    ['target_branch', 'main'],
    ['title', 'by form'],
    ['approval_rules_attributes[][name]', 'from a form'],
    ['approval_rules_attributes[][approvals_required]', '1'],
  ]).toString();
  const second = expectStatus<{ iid: number }>(await app.post(path, { form }), 201);
  assert.deepEqual((await rules(second.iid)).map(([name]) => name).sort(), ['from a form', 'security']);
});

test('they change and remove rules with an update, all or nothing', async () => {
  const { people, create, rules, path } = await world();
  const attributes = ['a', 'b'].map((name) => ({
    name,
    approvals_required: 1,
    user_ids: [people.owner.user.id],
  }));
  const { iid } = expectStatus<{ iid: number }>(await create('one', attributes), 201);
  const [a, b] = expectStatus<Rule[]>(await app.get(`${path}/${iid}/approval_rules`), 200);
  const put = (approval_rules_attributes: unknown, more: object = {}, token = people.developer.token) =>
    app.put(`${path}/${iid}`, { token, json: { approval_rules_attributes, ...more } });
  const failed = await put(
    [
      { id: a!.id, approvals_required: 2 },
      { id: 99_999, _destroy: true },
    ],
    { title: 'new' },
  );
  expectStatus(failed, 404);
  assert.equal(expectStatus<{ title: string }>(await app.get(`${path}/${iid}`), 200).title, 't');
  const users = [people.owner.user.id];
  expectStatus(
    await put([
      { id: a!.id, approvals_required: 2, user_ids: users },
      { id: b!.id, _destroy: true },
      { name: 'c', approvals_required: 0 },
    ]),
    200,
  );
  assert.deepEqual(await rules(iid), [
    ['c', 0, []],
    ['a', 2, users],
  ]);
});

test('they are refused where they say too little, and from who may not change rules', async () => {
  const { project, people, create, path, rules } = await world();
  const message = async (attributes: unknown, status: number, token = people.developer.token) =>
    expectStatus<{ message: string }>(await create('one', attributes, token), status).message;
  const at = 'approval_rules_attributes[0]';
  assert.equal(await message([{ approvals_required: 1 }], 400), `${at}[name] is missing`);
  assert.equal(await message([{ name: 'x' }], 400), `${at}[approvals_required] is missing`);
  assert.equal(await message([{ _destroy: true }], 400), `${at}[id] is missing`);
  assert.equal(await message([{ id: 1, name: 'x' }], 400), `${at}[id] is not a rule of the merge request`);
  assert.match(await message([{ name: 'x', approvals_required: 101 }], 400), /less than or equal to 100/);
  assert.match(await message('x', 400), /approval_rules_attributes is invalid/);
  assert.equal(expectStatus<unknown[]>(await app.get(path), 200).length, 0);
  const json = { disable_overriding_approvers_per_merge_request: true };
  expectStatus(await app.post(`/projects/${project.id}/approvals`, { json }), 201);
  assert.equal(await message([{ name: 'x', approvals_required: 1 }], 403), 'Prohibited');
  const { iid } = expectStatus<{ iid: number }>(await create('one', []), 201);
  assert.deepEqual(await rules(iid), []);
});
