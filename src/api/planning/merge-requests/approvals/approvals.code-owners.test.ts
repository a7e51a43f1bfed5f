import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { reviewedProject } from '../../../../../test/support/approvals.ts';
import { commitFiles } from '../../../../../test/support/commits.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Rule {
  id: number;
  name: string;
  section: string;
  rule_type: string;
  code_owner: boolean;
  approvals_required: number;
  approved: boolean;
  users: { id: number }[];
  groups: { id: number }[];
  eligible_approvers: { username: string }[];
}

/** The rules of code owners, by section. */
const codeOwners = async (path: string): Promise<Rule[]> => {
  const { rules } = expectStatus<{ rules: Rule[] }>(await app.get(`${path}/approval_state`), 200);
  const codeOwnerRules = rules.filter(({ rule_type }) => rule_type === 'code_owner');
  return codeOwnerRules.sort((a, b) => (a.section.toLowerCase() < b.section.toLowerCase() ? -1 : 1));
};
const short = ({ section, name, approvals_required, eligible_approvers }: Rule) => [
  section,
  name,
  approvals_required,
  eligible_approvers.map(({ username }) => username).sort(),
];

/** Lets code owners have a say in what goes into main. */
async function requireOwners(project: { id: number }): Promise<void> {
  const json = { name: 'main', code_owner_approval_required: true };
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json }), 201);
}

let people = 0;
async function named(prefix: string) {
  people += 1;
  return app.make.user({ username: `${prefix}${people}` });
}

test('owners of what changes are asked: users, groups, addresses and roles', async () => {
  const [ann, ben, cat, out] = [await named('ann'), await named('ben'), await named('cat'), await named('out')];
  const parent = await app.make.group();
  const group = await app.make.group({ parent });
  await app.make.member({ group }, cat.user, 30);
  const owners = [
    `b.txt @${ann.user.username.toUpperCase()} @${out.user.username} @nobody-at-all`,
    '[Mail]',
    `*.txt ${ben.user.email}`,
    '[Group][2]',
    `b.txt @${group.full_path}`,
    '^[Roles] @@maintainers',
    'b.txt',
    '[Gone]',
    `b.txt @${out.user.username}`,
    '[Other]',
    `a.txt @${ann.user.username}`,
  ].join('\n');
  const world = await reviewedProject(app, { '.gitlab/CODEOWNERS': owners });
  const { project, path, push, approve, approvals } = world;
  for (const { user } of [ann, ben, cat]) await app.make.member({ project }, user, 30);
  await push({ 'b.txt': 'again\n' });
  await app.drain();
  const { maintainer } = world.people;
  const roles = [maintainer.user.username];
  assert.deepEqual((await codeOwners(path)).map(short), [
    ['codeowners', 'b.txt', 0, [ann.user.username]],
    ['Group', 'b.txt', 0, [cat.user.username, 'root']],
    ['Mail', '*.txt', 0, [ben.user.username]],
    ['Roles', 'b.txt', 0, roles],
  ]);
  assert.equal((await approvals()).approvals_left, 0);
  await requireOwners(project);
  assert.deepEqual(
    (await codeOwners(path)).map((rule) => rule.approvals_required),
    [1, 2, 1, 0],
  );
  assert.equal((await approvals()).approvals_left, 4);
  for (const who of [ann, ben, cat, maintainer]) expectStatus(await approve(who), 201);
  const after = await codeOwners(path);
  assert.deepEqual(
    after.map(({ approved, code_owner }) => [approved, code_owner]),
    [
      [true, true],
      [false, true],
      [true, true],
      [true, true],
    ],
  );
  assert.equal((await approvals()).approvals_left, 1);
});

test('rules follow the head: before they do, nothing counts as approved', async () => {
  const ann = await named('ann');
  const world = await reviewedProject(app, { CODEOWNERS: `/src/ @${ann.user.username}\n` });
  const { project, path, push, approve, approvals } = world;
  await app.make.member({ project }, ann.user, 30);
  await requireOwners(project);
  assert.deepEqual(await codeOwners(path), []);
  assert.equal((await approvals()).approved, true);
  expectStatus(await push({ 'src/x': '1' }), 201);
  assert.equal((await approvals()).approved, false);
  await app.drain();
  assert.deepEqual((await codeOwners(path)).map(short), [['codeowners', '/src/', 1, [ann.user.username]]]);
  expectStatus(await approve(world.people.owner), 201);
  assert.equal((await approvals()).approvals_left, 1);
  expectStatus(await approve(ann), 201);
  assert.equal((await approvals()).approvals_left, 0);
});

test('moving a file away does not get round its owner', async () => {
  const ann = await named('ann');
  const owners = { CODEOWNERS: `/secret/ @${ann.user.username}\n`, 'secret/key': 'a long text that stays the same\n' };
  const { project, path, git, mergeRequest } = await reviewedProject(app, owners);
  await app.make.member({ project }, ann.user, 30);
  const actions = [{ action: 'move', file_path: 'open', previous_path: 'secret/key' }];
  await commitFiles(app, project.id, actions, { branch: 'side' });
  await app.drain();
  assert.equal((await codeOwners(path)).length, 1, `${mergeRequest.iid} ${git.run(['rev-parse', 'side'])}`);
});

test("the target's file counts, not what the merge request makes of it; its changes are taken over", async () => {
  const ann = await named('ann');
  const ben = await named('ben');
  const world = await reviewedProject(app, { CODEOWNERS: `* @${ann.user.username}\n` });
  const { project, path, push, approvals } = world;
  for (const { user } of [ann, ben]) await app.make.member({ project }, user, 30);
  await requireOwners(project);
  expectStatus(await push({ CODEOWNERS: `* @${world.people.owner.user.username}\n` }), 201);
  await app.drain();
  const [first] = await codeOwners(path);
  assert.deepEqual(short(first!), ['codeowners', '*', 1, [ann.user.username]]);
  await push({ 'c.txt': 'x\n' });
  await app.drain();
  assert.equal((await codeOwners(path))[0]!.id, first!.id);
  expectStatus(await push({ CODEOWNERS: `* @${ben.user.username}\n` }, undefined, 'main'), 201);
  assert.equal((await approvals()).approved, false);
  const row = await app.deps.db
    .selectFrom('merge_requests')
    .select('approvals_syncing')
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  assert.equal(row.approvals_syncing, 1);
  await app.drain();
  assert.deepEqual((await codeOwners(path)).map(short), [['codeowners', '*', 1, [ben.user.username]]]);
});
