import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { Happenings } from '../../../../test/support/feed.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { EventJson } from './events.inputs.ts';

let app: TestApp;
let happenings: Happenings;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
  happenings = new Happenings(app, clock);
});
after(() => app.close());

/** What `everything` does, in short words, in its order. */
const WORDS = [
  'issue',
  'secret',
  'change',
  'snippet',
  'push',
  'on issue',
  'internal',
  'on secret',
  'on change',
  'on snippet',
  'on commit',
];
const without = (...words: string[]) => WORDS.filter((word) => !words.includes(word));
const SECRETS = ['secret', 'internal', 'on secret'];
const CHANGES = ['change', 'on change'];
const CODE = ['push', 'on commit'];
const SNIPPETS = ['snippet', 'on snippet'];

/** A project of root's in which the author has done everything, and what reads the three lists of it. */
async function setting(options: { visibility: 'public' | 'internal' | 'private'; columns?: Partial<Project> }) {
  const project = await app.make.project(options);
  const author = await app.make.user();
  await happenings.everything(project, author.user.id);
  const [first] = await app.deps.db
    .selectFrom('events')
    .select('id')
    .where('project_id', '=', project.id)
    .where('author_id', '=', author.user.id)
    .orderBy('id')
    .execute();
  const rows = await app.deps.db
    .selectFrom('events')
    .select('id')
    .where('project_id', '=', project.id)
    .where('id', '>=', first!.id)
    .orderBy('id')
    .execute();
  const words = new Map(rows.map(({ id }, n) => [id, WORDS[n]]));
  const read = async (path: string, token: string | null, query = {}) => {
    const response = await app.get(path, { token, query: { sort: 'asc', ...query } });
    if (response.statusCode !== 200) return response.statusCode;
    const events = expectStatus<EventJson[]>(response, 200).filter(({ project_id }) => project_id === project.id);
    assert.equal(Number(response.headers['x-total']) >= events.length, true);
    return events.flatMap(({ id }) => words.get(id) ?? []);
  };
  return {
    project,
    author,
    inProject: (token: string | null) => read(`/projects/${project.id}/events`, token),
    ofAuthor: (token: string | null) => read(`/users/${author.user.id}/events`, token),
    inAll: (token: string) => read('/events', token, { scope: 'all' }),
    own: (token: string) => read('/events', token),
  };
}

type Setting = Awaited<ReturnType<typeof setting>>;

/** Both lists that anyone can ask for show the same to a caller. */
async function sees({ inProject, ofAuthor }: Setting, token: string | null, words: string[]): Promise<void> {
  assert.deepEqual(await inProject(token), words);
  assert.deepEqual(await ofAuthor(token), words);
}

test('in a public project each sees what they may read', async () => {
  const setup = await setting({ visibility: 'public' });
  const { stranger, guest, planner, reporter } = await app.make.members(setup.project);
  await sees(setup, null, without(...SECRETS, ...SNIPPETS));
  await sees(setup, stranger.token, without(...SECRETS, ...SNIPPETS));
  await sees(setup, guest.token, without(...SECRETS));
  await sees(setup, planner.token, WORDS);
  await sees(setup, reporter.token, WORDS);
  assert.deepEqual(await setup.inAll(reporter.token), WORDS);
  assert.deepEqual(await setup.inAll(guest.token), without(...SECRETS));
  // It is no project of the stranger's.
  assert.deepEqual(await setup.inAll(stranger.token), []);
  // A user's own acts are no way around what is kept from them.
  assert.deepEqual(await setup.own(setup.author.token), without(...SECRETS, ...SNIPPETS));
});

test('totals count only what is shown', async () => {
  const setup = await setting({ visibility: 'public' });
  for (const path of [`/projects/${setup.project.id}/events`, `/users/${setup.author.user.id}/events`]) {
    const response = await app.get(path, { token: null, query: { per_page: 1 } });
    const extra = path.startsWith('/projects') ? 1 : 0;
    assert.equal(Number(response.headers['x-total']), without(...SECRETS, ...SNIPPETS).length + extra);
  }
});

test('of a private project guests see issues and snippets, others nothing', async () => {
  const setup = await setting({ visibility: 'private' });
  const { stranger, guest, planner, developer } = await app.make.members(setup.project);
  assert.equal(await setup.inProject(null), 404);
  assert.equal(await setup.inProject(stranger.token), 404);
  assert.deepEqual(await setup.ofAuthor(null), []);
  assert.deepEqual(await setup.ofAuthor(stranger.token), []);
  await sees(setup, guest.token, without(...SECRETS, ...CHANGES, ...CODE));
  await sees(setup, planner.token, without(...CHANGES, ...CODE));
  await sees(setup, developer.token, WORDS);
  assert.deepEqual(await setup.inAll(guest.token), without(...SECRETS, ...CHANGES, ...CODE));
  // The author is no member (any more).
  assert.deepEqual(await setup.own(setup.author.token), []);
  assert.deepEqual(await setup.inAll(setup.author.token), []);
});

test('an internal project is for users, but not for external ones', async () => {
  const setup = await setting({ visibility: 'internal' });
  const { token } = await app.make.user();
  const external = await app.make.user({ columns: { external: 1 } });
  assert.equal(await setup.inProject(null), 404);
  assert.deepEqual(await setup.ofAuthor(null), []);
  await sees(setup, token, without(...SECRETS, ...SNIPPETS));
  assert.equal(await setup.inProject(external.token), 404);
  assert.deepEqual(await setup.ofAuthor(external.token), []);
});

test('parts of a project that are closed or for members are not told of', async () => {
  const ISSUES = ['issue', 'on issue', ...SECRETS];
  for (const [feature, words] of [
    ['repository', CODE],
    ['issues', ISSUES],
    ['merge_requests', CHANGES],
    ['snippets', SNIPPETS],
  ] as const) {
    const column = `${feature}_access_level` as const;
    const setup = await setting({ visibility: 'public', columns: { [column]: 'private' } });
    const { stranger, reporter } = await app.make.members(setup.project);
    const hidden = [...SECRETS, ...SNIPPETS, ...words];
    await sees(setup, null, without(...hidden));
    await sees(setup, stranger.token, without(...hidden));
    await sees(setup, reporter.token, WORDS);
    await app.deps.db
      .updateTable('projects')
      .set({ [column]: 'disabled' })
      .where('id', '=', setup.project.id)
      .execute();
    await sees(setup, reporter.token, without(...words));
    assert.deepEqual(await setup.inAll(reporter.token), without(...words));
  }
});

test('a change of visibility, membership or confidentiality counts at once', async () => {
  const setup = await setting({ visibility: 'public' });
  const { db } = app.deps;
  const { reporter, stranger } = await app.make.members(setup.project);
  const projects = db.updateTable('projects').where('id', '=', setup.project.id);
  await sees(setup, stranger.token, without(...SECRETS, ...SNIPPETS));
  await projects.set({ visibility: 'private' }).execute();
  assert.deepEqual(await setup.ofAuthor(stranger.token), []);
  await sees(setup, reporter.token, WORDS);
  await db.deleteFrom('members').where('user_id', '=', reporter.user.id).execute();
  assert.equal(await setup.inProject(reporter.token), 404);
  assert.deepEqual(await setup.ofAuthor(reporter.token), []);
  assert.deepEqual(await setup.inAll(reporter.token), []);
  await projects.set({ visibility: 'public' }).execute();
  await sees(setup, reporter.token, without(...SECRETS, ...SNIPPETS));
  await db.updateTable('issues').set({ confidential: 1 }).where('project_id', '=', setup.project.id).execute();
  await sees(setup, reporter.token, without(...SECRETS, ...SNIPPETS, 'issue', 'on issue'));
  await db.updateTable('snippets').set({ visibility: 'internal' }).where('project_id', '=', setup.project.id).execute();
  await sees(setup, reporter.token, without(...SECRETS, 'issue', 'on issue'));
  await sees(setup, null, without(...SECRETS, ...SNIPPETS, 'issue', 'on issue'));
  await projects.set({ pending_delete: 1 }).execute();
  assert.deepEqual(await setup.ofAuthor(reporter.token), []);
});

test('a confidential issue is told of to its author and its assignees', async () => {
  const setup = await setting({ visibility: 'public' });
  const { db } = app.deps;
  const [assignee, author] = [await app.make.user(), await app.make.user()];
  const secret = await db
    .selectFrom('issues')
    .selectAll()
    .where('project_id', '=', setup.project.id)
    .where('confidential', '=', 1)
    .executeTakeFirstOrThrow();
  const about = { issuable_type: 'Issue', issuable_id: secret.id, project_id: setup.project.id } as const;
  await db
    .insertInto('issuable_assignees')
    .values({ ...about, user_id: assignee.user.id })
    .execute();
  await db.updateTable('issues').set({ author_id: author.user.id }).where('id', '=', secret.id).execute();
  for (const { token } of [assignee, author]) await sees(setup, token, without('internal', ...SNIPPETS));
});

test('what private and blocked people do is their own affair', async () => {
  const setup = await setting({ visibility: 'public' });
  const { stranger } = await app.make.members(setup.project);
  const change = (columns: Partial<Pick<User, 'private_profile' | 'state'>>) =>
    app.deps.db.updateTable('users').set(columns).where('id', '=', setup.author.user.id).execute();
  const shown = without(...SECRETS, ...SNIPPETS);
  await change({ private_profile: 1 });
  assert.deepEqual(await setup.ofAuthor(stranger.token), []);
  assert.deepEqual(await setup.ofAuthor(null), []);
  assert.deepEqual(await setup.ofAuthor(setup.author.token), shown);
  const { token: root } = await app.make.user({ admin: true });
  assert.deepEqual(await setup.ofAuthor(root), WORDS);
  await change({ private_profile: 0, state: 'blocked' });
  assert.deepEqual(await setup.ofAuthor(stranger.token), []);
  assert.deepEqual(await setup.inProject(stranger.token), shown);
  assert.deepEqual(await setup.ofAuthor(root), WORDS);
});

test('members of groups see the projects in them', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: await app.make.group({ parent: group }) });
  const { user } = await app.make.user();
  await happenings.everything(project, user.id);
  const member: TestUser = await app.make.user();
  const outsider = await app.make.user();
  await app.make.member({ group }, member.user, 20);
  const count = async (token: string, path: string) =>
    expectStatus<EventJson[]>(await app.get(path, { token }), 200).length;
  assert.equal(await count(member.token, '/events?scope=all'), WORDS.length + 1);
  assert.equal(await count(member.token, `/users/${user.id}/events`), WORDS.length);
  assert.equal(await count(outsider.token, '/events?scope=all'), 0);
  assert.equal(await count(outsider.token, `/users/${user.id}/events`), 0);
});
