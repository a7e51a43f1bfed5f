import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type RequestOptions, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { IssueLinkJson, LinkedIssue, LinkType } from './issue-links.responses.ts';

let app: TestApp;
let rows: Rows;
before(async () => {
  app = await buildTestApp();
  rows = new Rows(app.deps);
});
after(() => app.close());

const linksOf = ({ project_id, iid }: Issue) => `/projects/${project_id}/issues/${iid}/links`;
const to = ({ project_id, iid }: Issue, link_type?: LinkType) => ({
  target_project_id: project_id,
  target_issue_iid: iid,
  ...(link_type === undefined ? {} : { link_type }),
});
const link = async (from: Issue, target: Issue, type?: LinkType, options: RequestOptions = {}) =>
  expectStatus<IssueLinkJson>(await app.post(linksOf(from), { json: to(target, type), ...options }), 201);
const list = async (issue: Issue, options: RequestOptions = {}) =>
  expectStatus<LinkedIssue[]>(await app.get(linksOf(issue), options), 200);
const short = (entries: LinkedIssue[]) => entries.map(({ id, link_type }) => [id, link_type]);
const message = (body: unknown) => (body as { message: string }).message;
const issues = async (project: Project, count: number) => {
  const made: Issue[] = [];
  for (let i = 0; i < count; i += 1) made.push(await rows.issue(project.id));
  return made as [Issue, Issue, Issue, Issue];
};
const notesOf = async ({ id }: Issue) =>
  (
    await app.deps.db
      .selectFrom('notes')
      .select('note')
      .where('noteable_type', '=', 'Issue')
      .where('noteable_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(({ note }) => note);

test('a link is made, seen from both sides, read and removed', async () => {
  const project = await app.make.project();
  const [one, two] = await issues(project, 2);
  const made = await link(one, two);
  assert.deepEqual(
    [made.source_issue.id, made.target_issue.id, made.link_type, made.source_issue.subscribed],
    [one.id, two.id, 'relates_to', true],
  );
  const [entry] = await list(one);
  assert.equal(entry!.id, two.id);
  assert.equal(entry!.issue_link_id, made.id);
  assert.equal(entry!.link_type, 'relates_to');
  assert.equal(entry!.link_created_at, entry!.link_updated_at);
  assert.equal(entry!.references.relative, `#${two.iid}`);
  assert.deepEqual(short(await list(two)), [[one.id, 'relates_to']]);
  const path = `${linksOf(one)}/${made.id}`;
  assert.deepEqual(expectStatus(await app.get(path), 200), made);
  const reverse = expectStatus<IssueLinkJson>(await app.get(`${linksOf(two)}/${made.id}`), 200);
  assert.deepEqual([reverse.source_issue.id, reverse.target_issue.id], [two.id, one.id]);
  const removed = expectStatus<IssueLinkJson>(await app.delete(path, { query: { link_type: 'relates_to' } }), 200);
  assert.deepEqual(removed, made);
  for (const issue of [one, two]) assert.deepEqual(await list(issue), []);
  assert.equal(message(expectStatus(await app.get(path), 404)), '404 Not found');
  assert.equal(message(expectStatus(await app.delete(path), 404)), '404 Not found');
  assert.deepEqual(await notesOf(one), [
    `marked this issue as related to #${two.iid}`,
    `removed the relation with #${two.iid}`,
  ]);
  assert.deepEqual(await notesOf(two), [
    `marked this issue as related to #${one.iid}`,
    `removed the relation with #${one.iid}`,
  ]);
});

test('what blocks one issue is blocked by it for the other', async () => {
  const group = await app.make.group();
  const [here, there] = [await app.make.project({ namespace: group }), await app.make.project({ namespace: group })];
  const [one, two] = await issues(here, 2);
  const other = await rows.issue(there.id);
  assert.equal((await link(one, two, 'blocks')).link_type, 'blocks');
  const blocked = await link(one, other, 'is_blocked_by');
  assert.deepEqual([blocked.source_issue.id, blocked.link_type], [one.id, 'is_blocked_by']);
  assert.deepEqual(short(await list(one)), [
    [two.id, 'blocks'],
    [other.id, 'is_blocked_by'],
  ]);
  assert.deepEqual(short(await list(two)), [[one.id, 'is_blocked_by']]);
  assert.deepEqual(short(await list(other)), [[one.id, 'blocks']]);
  const seen = expectStatus<IssueLinkJson>(await app.get(`${linksOf(other)}/${blocked.id}`), 200);
  assert.deepEqual(
    [seen.source_issue.id, seen.link_type, seen.source_issue.blocking_issues_count],
    [other.id, 'blocks', 1],
  );
  assert.deepEqual(await notesOf(one), [
    `marked this issue as blocking #${two.iid}`,
    `marked this issue as blocked by ${there.path}#${other.iid}`,
  ]);
  assert.deepEqual(await notesOf(other), [`marked this issue as blocking ${here.path}#${one.iid}`]);
  const removed = expectStatus<IssueLinkJson>(await app.delete(`${linksOf(other)}/${blocked.id}`), 200);
  assert.deepEqual([removed.source_issue.id, removed.link_type], [other.id, 'blocks']);
  assert.deepEqual(short(await list(one)), [[two.id, 'blocks']]);
});

test('the other issue is named by id or path and by number or text', async () => {
  const project = await app.make.project();
  const [one, two, three, four] = await issues(project, 4);
  const post = (json: object) => app.post(linksOf(one), { json });
  expectStatus(await post({ target_project_id: project.full_path, target_issue_iid: String(two.iid) }), 201);
  expectStatus(await post({ target_project_id: String(project.id), target_issue_iid: three.iid }), 201);
  const form = `target_project_id=${encodeURIComponent(project.full_path)}&target_issue_iid=${four.iid}&link_type=blocks`;
  expectStatus(await app.post(linksOf(one), { form }), 201);
  assert.deepEqual(short(await list(one)), [
    [two.id, 'relates_to'],
    [three.id, 'relates_to'],
    [four.id, 'blocks'],
  ]);
});

test('all links are listed unless a page is asked for', async () => {
  const project = await app.make.project();
  const [one, ...others] = await issues(project, 23);
  for (const other of others) await link(one, other);
  const all = await app.get(linksOf(one));
  assert.equal(all.headers['x-total'], '22');
  assert.deepEqual(
    expectStatus<LinkedIssue[]>(all, 200).map(({ id }) => id),
    others.map(({ id }) => id),
  );
  const page = await app.get(linksOf(one), { query: { page: 2, per_page: 20 } });
  assert.deepEqual(
    expectStatus<LinkedIssue[]>(page, 200).map(({ id }) => id),
    others.slice(20).map(({ id }) => id),
  );
  assert.equal(page.headers['x-total-pages'], '2');
});

test('links that cannot be are refused', async () => {
  const project = await app.make.project();
  const [one, two] = await issues(project, 2);
  const refusal = async (json: object, status: number) =>
    message(expectStatus(await app.post(linksOf(one), { json }), status));
  assert.equal(await refusal({}, 400), 'target_project_id is missing, target_issue_iid is missing');
  assert.equal(await refusal({ ...to(two), link_type: 'x' }, 400), 'link_type does not have a valid value');
  assert.equal(await refusal({ ...to(two), target_project_id: 'no/such' }, 404), '404 Project Not Found');
  assert.equal(await refusal({ ...to(two), target_issue_iid: 4_242_424 }, 404), '404 Not found');
  assert.equal(await refusal({ ...to(two), target_issue_iid: 'two' }, 404), '404 Not found');
  for (const link_type of ['relates_to', 'blocks', 'is_blocked_by']) {
    const text = await refusal({ ...to(one), link_type }, 422);
    assert.equal(text, `#${one.iid} cannot be added: cannot be related to itself`);
  }
  await link(one, two);
  for (const type of ['relates_to', 'blocks', 'is_blocked_by'] as const) {
    assert.equal(await refusal(to(two, type), 409), 'Issue(s) already assigned');
  }
  expectStatus(await app.post(linksOf(two), { json: to(one) }), 409);
  expectStatus(await app.post(linksOf({ ...one, iid: 4_242_424 }), { json: to(two) }), 404);
});

test('an issue has at most 100 links, whichever way they go', async () => {
  const project = await app.make.project();
  const [full, last, ...others] = await issues(project, 102);
  const now = full.created_at;
  const values = others.map(({ id }, index) => ({
    ...(index % 2 === 0 ? { source_id: full.id, target_id: id } : { source_id: id, target_id: full.id }),
    ...{ created_at: now, updated_at: now },
  }));
  await app.deps.db.insertInto('issue_links').values(values).execute();
  const text = 'This issue would exceed the maximum number of linked issues (100).';
  for (const [from, target] of [
    [full, last],
    [last, full],
  ] as const) {
    const response = await app.post(linksOf(from), { json: to(target) });
    assert.equal(message(expectStatus(response, 422)), `#${target.iid} cannot be added: ${text}`);
  }
  assert.equal((await list(full)).length, 100);
});

test('of two identical links made at once one is refused, and of two opposite ones', async () => {
  const project = await app.make.project();
  const [one, two, three, four] = await issues(project, 4);
  const race = async (...posts: [Issue, Issue][]) =>
    (await Promise.all(posts.map(([from, target]) => app.post(linksOf(from), { json: to(target) }))))
      .map(({ statusCode }) => statusCode)
      .sort();
  assert.deepEqual(await race([one, two], [one, two]), [201, 409]);
  assert.deepEqual(await race([three, four], [four, three]), [201, 409]);
  assert.equal((await notesOf(one)).length, 1);
  assert.equal((await list(three)).length, 1);
});

interface Scene {
  open: Project;
  secret: Project;
  seen: Issue;
  confidential: Issue;
  hidden: Issue;
  people: Record<'stranger' | 'guest' | 'planner', TestUser>;
}

/** A public issue with a link to another, to a confidential one, and to one of a private project. */
async function scene(): Promise<Scene & { issue: Issue; links: IssueLinkJson[] }> {
  const [open, secret] = [await app.make.project({ visibility: 'public' }), await app.make.project()];
  const [issue, seen] = await issues(open, 2);
  const confidential = await rows.issue(open.id, { confidential: 1, title: 'Secret title' });
  const hidden = await rows.issue(secret.id, { title: 'Secret title' });
  const links: IssueLinkJson[] = [];
  for (const target of [seen, confidential, hidden]) links.push(await link(issue, target));
  const { stranger, guest, planner } = await app.make.members(open);
  return { open, secret, issue, seen, confidential, hidden, links, people: { stranger, guest, planner } };
}

test('lists leave out what the caller may not see, from the count too', async () => {
  const { issue, seen, confidential, hidden, people } = await scene();
  for (const token of [people.stranger.token, people.guest.token]) {
    const response = await app.get(linksOf(issue), { token });
    assert.deepEqual(
      expectStatus<LinkedIssue[]>(response, 200).map(({ id }) => id),
      [seen.id],
    );
    assert.equal(response.headers['x-total'], '1');
    assert.doesNotMatch(response.body, /Secret title/);
    expectStatus(await app.get(linksOf(confidential), { token }), 404);
    expectStatus(await app.get(linksOf(hidden), { token }), 404);
  }
  assert.deepEqual(
    (await list(issue, { token: people.planner.token })).map(({ id }) => id),
    [seen.id, confidential.id],
  );
  assert.equal((await list(issue)).length, 3);
});

test('issues that the caller may not see are not counted as blocked either', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const [issue, open] = await issues(project, 2);
  await link(issue, open, 'blocks');
  await link(issue, await rows.issue(project.id, { confidential: 1 }), 'blocks');
  const { stranger, guest, planner } = await app.make.members(project);
  const count = async ({ token }: TestUser) => (await list(open, { token }))[0]!.blocking_issues_count;
  assert.deepEqual([await count(stranger), await count(guest), await count(planner)], [1, 1, 2]);
});

test('notes that tell of a link are for those who may see the other issue', async () => {
  const { issue, seen, confidential, hidden, secret, people } = await scene();
  const path = `/projects/${issue.project_id}/issues/${issue.iid}/notes`;
  const bodies = async (token: string | null) =>
    expectStatus<{ body: string }[]>(await app.get(path, { token, query: { sort: 'asc' } }), 200).map(
      ({ body }) => body,
    );
  const words = 'marked this issue as related to';
  const [open, inside] = [`${words} #${seen.iid}`, `${words} #${confidential.iid}`];
  assert.deepEqual(await bodies(null), [open]);
  assert.deepEqual(await bodies(people.guest.token), [open]);
  assert.deepEqual(await bodies(people.planner.token), [open, inside]);
  const everything = expectStatus<{ body: string }[]>(await app.get(path, { query: { sort: 'asc' } }), 200);
  assert.equal(everything[2]!.body, `${words} ${secret.path}#${hidden.iid}`);
});

test('a link to what the caller may not see is neither shown nor removed', async () => {
  const { issue, links, people } = await scene();
  const [toSeen, ...toHidden] = links;
  for (const token of [people.guest.token, people.stranger.token]) {
    expectStatus(await app.get(`${linksOf(issue)}/${toSeen!.id}`, { token }), 200);
    for (const { id } of toHidden) {
      const path = `${linksOf(issue)}/${id}`;
      assert.equal(message(expectStatus(await app.get(path, { token }), 404)), '404 Not found');
      const refused = expectStatus<{ message: string }>(await app.delete(path, { token }), 404);
      assert.deepEqual(Object.keys(refused), ['message']);
    }
  }
  // The planner of one side may not remove what they cannot see on the other.
  const path = `${linksOf(issue)}/${toHidden[1]!.id}`;
  assert.equal(message(expectStatus(await app.delete(path, { token: people.planner.token }), 404)), '404 Not found');
  assert.equal((await list(issue)).length, 3);
});

test('a link to an issue that the caller may not see is as one to none', async () => {
  const { open, secret, seen, confidential, hidden, people } = await scene();
  const { token } = people.planner;
  const from = seen;
  const post = async (json: object, who = token) =>
    message(expectStatus(await app.post(linksOf(from), { token: who, json }), 404));
  assert.equal(await post(to(hidden)), '404 Project Not Found');
  assert.equal(await post({ ...to(hidden), target_project_id: secret.full_path }), '404 Project Not Found');
  // Who may not change the one is told nothing of the other.
  for (const iid of [confidential.iid, 4_242_424]) {
    const json = { ...to(confidential), target_issue_iid: iid };
    expectStatus(await app.post(linksOf(from), { token: people.guest.token, json }), 403);
  }
  expectStatus(await app.post(linksOf(confidential), { token: people.guest.token, json: to(seen) }), 404);
  expectStatus(await app.post(linksOf(hidden), { token, json: to(seen) }), 404);
  expectStatus(await app.get(linksOf({ ...hidden, project_id: open.id }), { token }), 404);
});

test('links need the right to change both issues', async () => {
  const [project, other] = [
    await app.make.project({ visibility: 'public' }),
    await app.make.project({ visibility: 'public' }),
  ];
  const [one, two] = await issues(project, 2);
  const far = await rows.issue(other.id);
  const { stranger, guest, planner } = await app.make.members(project);
  const refused = "Couldn't link issues. You must have at least the Guest role in both projects.";
  const post = (from: Issue, target: Issue, token: string | null) =>
    app.post(linksOf(from), { token, json: to(target) });
  for (const { token } of [stranger, guest]) {
    assert.equal(message(expectStatus(await post(one, two, token), 403)), refused);
  }
  expectStatus(await post(one, two, null), 401);
  assert.equal(message(expectStatus(await post(one, far, planner.token), 403)), refused);
  assert.equal(message(expectStatus(await post(far, one, planner.token), 403)), refused);
  const { id } = await link(one, two, 'relates_to', { token: planner.token });
  const path = `${linksOf(one)}/${id}`;
  for (const { token } of [stranger, guest]) {
    assert.equal(message(expectStatus(await app.delete(path, { token }), 404)), 'No Issue Link found');
  }
  expectStatus(await app.delete(path, { token: null }), 401);
  const readOnly = await app.make.token(planner.user.id, ['read_api']);
  expectStatus(await app.delete(path, { token: readOnly }), 403);
  expectStatus(await post(one, two, readOnly), 403);
  // One side is not enough to remove a link either.
  const across = await link(one, far);
  const acrossPath = `${linksOf(one)}/${across.id}`;
  assert.equal(
    message(expectStatus(await app.delete(acrossPath, { token: planner.token }), 404)),
    'No Issue Link found',
  );
  await app.make.member({ project: other }, planner.user, 15);
  expectStatus(await app.delete(acrossPath, { token: planner.token }), 200);
  expectStatus(await app.delete(path, { token: planner.token }), 200);
  // Guests link what they wrote themselves.
  const [mine, alsoMine] = [
    await rows.issue(project.id, { author_id: guest.user.id }),
    await rows.issue(project.id, { author_id: guest.user.id }),
  ];
  await link(mine, alsoMine, 'relates_to', { token: guest.token });
  expectStatus(await post(mine, one, guest.token), 403);
  await app.deps.db
    .insertInto('issuable_assignees')
    .values({ issuable_type: 'Issue', issuable_id: one.id, user_id: guest.user.id, project_id: project.id })
    .execute();
  await link(mine, one, 'relates_to', { token: guest.token });
});

test('links of other issues and of closed projects are out of reach', async () => {
  const project = await app.make.project();
  const [one, two, three] = await issues(project, 3);
  const { id } = await link(one, two);
  const path = `${linksOf(three)}/${id}`;
  assert.equal(message(expectStatus(await app.get(path), 404)), '404 Not found');
  assert.equal(message(expectStatus(await app.delete(path), 404)), '404 Not found');
  expectStatus(await app.delete(`${linksOf(one)}/${id}`, { token: (await app.make.user()).token }), 404);
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
  expectStatus(await app.get(`${linksOf(one)}/${id}`), 200);
  expectStatus(await app.post(linksOf(one), { json: to(three) }), 403);
  assert.equal(message(expectStatus(await app.delete(`${linksOf(one)}/${id}`), 404)), 'No Issue Link found');
});

test('links go with their issues', async () => {
  const project = await app.make.project();
  const [one, two] = await issues(project, 2);
  await link(one, two);
  await app.deps.db.deleteFrom('issues').where('id', '=', two.id).execute();
  assert.deepEqual(await list(one), []);
});

test('links of public issues were read by anonymous callers: now by signed-in users alone', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const [one, two] = await issues(project, 2);
  const { id } = await link(one, two);
  const { token } = await app.make.user();
  for (const path of [linksOf(one), `${linksOf(one)}/${id}`]) {
    expectStatus(await app.get(path, { token: null }), 401);
    expectStatus(await app.get(path, { token }), 200);
  }
});

test('a target_project_id of null or nothing was refused: now it is the own project', async () => {
  const project = await app.make.project();
  const [one, ...targets] = await issues(project, 3);
  const post = (body: object) => app.post(linksOf(one), body);
  const [null_, empty] = targets.map(({ iid }) => iid);
  expectStatus(await post({ json: { target_project_id: null, target_issue_iid: null_ } }), 201);
  expectStatus(await post({ form: `target_project_id=&target_issue_iid=${empty}` }), 201);
  assert.deepEqual(short(await list(one)), [
    [targets[0]!.id, 'relates_to'],
    [targets[1]!.id, 'relates_to'],
  ]);
  assert.equal(
    message(expectStatus(await post({ json: { target_issue_iid: empty } }), 400)),
    'target_project_id is missing',
  );
});
