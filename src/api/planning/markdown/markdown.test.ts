import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let rows: Rows;
let open: Project;
let hidden: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let server: string;
before(async () => {
  app = await buildTestApp();
  rows = new Rows(app.deps);
  server = app.deps.externalUrl();
  open = await app.make.project({ path: 'open', visibility: 'public' });
  hidden = await app.make.project({ path: 'hidden', visibility: 'private' });
  users = await app.make.members(hidden);
});
after(() => app.close());

const render = async (text: string, more: { project?: string; gfm?: boolean; token?: string } = {}) => {
  const { token, gfm = true, project = open.full_path } = more;
  const answer = await app.post('/markdown', {
    json: { text, gfm, project },
    ...(token === undefined ? {} : { token }),
  });
  const html: string = expectStatus<{ html: string }>(answer, 201).html;
  return html.replace(/^<p [^>]*>|<\/p>$/g, '');
};
const leads = async (text: string, user?: TestUser, project?: string): Promise<string[]> => {
  const html = await render(text, {
    ...(user && { token: user.token }),
    ...(project === undefined ? {} : { project }),
  });
  return [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href!.replace(server, ''));
};

const issue = (project: Project, more: object = {}) => rows.issue(project.id, more);

test('a text is rendered, with and without what it names', async () => {
  const { iid } = await issue(open, { title: 'A <b>' });
  const text = `# One\n\n#${iid} :tada: [x](docs/a.md) <script>alert(1)</script>`;
  const plain = expectStatus<{ html: string }>(await app.post('/markdown', { json: { text } }), 201).html;
  assert.match(plain, /id="user-content-one".*#\d+ :tada: <a href="docs\/a.md">x<\/a> &lt;script&gt;/s);
  const rich = await render(text);
  assert.match(rich, /<gl-emoji title="party popper" data-name="tada">🎉<\/gl-emoji>/);
  assert.ok(rich.includes(`<a href="${server}/root/open/docs/a.md">x</a>`), rich);
  const link = /<a href="[^"]*issues[^>]*>/.exec(rich)?.[0];
  assert.match(link!, /title="A &lt;b&gt;" class="gfm gfm-issue" data-reference-type="issue" data-original="#\d+"/);
  assert.equal(await render(`#${iid}`, { gfm: false }), `#${iid}`);
  assert.equal(expectStatus<{ html: string }>(await app.post('/markdown', { json: { text: '' } }), 201).html, '');
  const form = await app.post('/markdown', { form: 'text=*a*&gfm=true' });
  assert.match(expectStatus<{ html: string }>(form, 201).html, /<em>a<\/em>/);
});

test('who may render', async () => {
  const ask = (json: object, token?: string | null) =>
    app.post('/markdown', { json, ...(token === undefined ? {} : { token }) });
  expectStatus(await ask({ text: 'a' }, null), 401);
  expectStatus(await ask({ text: 'a', project: open.full_path }, null), 401);
  const { error } = expectStatus<{ error: string }>(await ask({}), 400);
  assert.equal(error, 'text is missing');
  for (const project of [hidden.full_path, String(hidden.id), 'no/such', '999999']) {
    const { message } = expectStatus<{ message: string }>(await ask({ text: 'a', project }, users.stranger.token), 404);
    assert.equal(message, '404 Project Not Found', project);
  }
  for (const user of [users.guest, users.planner, users.reporter, users.developer, users.maintainer, users.owner]) {
    expectStatus(await ask({ text: 'a', project: hidden.full_path }, user.token), 201);
  }
  expectStatus(await ask({ text: 'x'.repeat(1024 * 1024 + 1) }), 422);
});

test('issues and merge requests are links for who may see them', async () => {
  const [near, far, secret] = [await issue(open), await issue(hidden), await issue(hidden, { confidential: 1 })];
  const authored = await issue(hidden, { confidential: 1, author_id: users.guest.user.id });
  const change = await makeMergeRequest(app, hidden);
  const at = (project: Project, page: string, iid: number) => `/${project.full_path}/-/${page}/${iid}`;
  const text = [
    `#${near.iid}`,
    `root/hidden#${far.iid}`,
    `hidden#${secret.iid}`,
    `hidden#${authored.iid}`,
    `hidden!${change.iid}`,
    `${server}/root/hidden/-/issues/${far.iid}`,
    '#999999',
    '#9999999999',
    'no/such#1',
  ].join(' ');
  const [one, two, three, four, five] = [
    at(open, 'issues', near.iid),
    at(hidden, 'issues', far.iid),
    at(hidden, 'issues', secret.iid),
    at(hidden, 'issues', authored.iid),
    at(hidden, 'merge_requests', change.iid),
  ];
  // The address stays a link to itself for those who may not see the issue.
  assert.deepEqual(await leads(text, users.stranger), [one, two]);
  assert.deepEqual(await leads(text, users.guest), [one, two, four, two]);
  assert.deepEqual(await leads(text, users.planner), [one, two, three, four, two].filter(Boolean));
  assert.deepEqual(await leads(text, users.reporter), [one, two, three, four, five, two]);
  assert.deepEqual(await leads(text), [one, two, three, four, five, two]);
  const stranger = await render(text, { token: users.stranger.token });
  assert.ok(!stranger.includes(far.title) && stranger.includes(`>${server}/root/hidden/-/issues/${far.iid}<`));
  assert.ok(!(await render(text, { token: users.guest.token })).includes(secret.title));
  const full = await render(`${server}/root/hidden/-/issues/${far.iid}#note_5`, { token: users.guest.token });
  assert.match(
    full,
    new RegExp(`href="${server}/root/hidden/-/issues/${far.iid}#note_5".*>root/hidden#${far.iid} \\(comment 5\\)</a>`),
  );
  const own = await render(`${server}/root/hidden/-/issues/${far.iid}`, { project: 'root/hidden' });
  assert.ok(own.endsWith(`>#${far.iid}</a>`), own);
});

test('parts of a project that are closed show nothing', async () => {
  const closed = await app.make.project({ path: 'closed', visibility: 'public' });
  const { iid } = await issue(closed);
  assert.equal((await leads(`closed#${iid}`, users.stranger)).length, 1);
  await app.put(`/projects/${closed.id}`, { json: { issues_access_level: 'private' } });
  assert.equal((await leads(`closed#${iid}`, users.stranger)).length, 0);
  assert.equal((await leads(`closed#${iid}`)).length, 1);
});

test('snippets, by their visibility', async () => {
  const shown = await rows.snippet(open.id, 'public');
  const own = await rows.snippet(open.id, 'private');
  const personal = await rows.snippet(null, 'public');
  const elsewhere = await rows.snippet(hidden.id, 'public');
  const text = `$${shown.id} $${own.id} $${personal.id} $${elsewhere.id} hidden$${elsewhere.id} $99999`;
  const at = (project: string, id: number) => `/root/${project}/-/snippets/${id}`;
  assert.deepEqual(await leads(text, users.stranger), [at('open', shown.id)]);
  assert.deepEqual(await leads(text, users.guest), [at('open', shown.id), at('hidden', elsewhere.id)]);
  assert.deepEqual(await leads(text), [at('open', shown.id), at('open', own.id), at('hidden', elsewhere.id)]);
});

test('labels and milestones of the project and of the groups above it', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group, visibility: 'private' });
  const post = async (path: string, json: object) =>
    expectStatus<{ id: number; iid: number }>(await app.post(path, { json }), 201);
  await post(`/groups/${group.id}/labels`, { name: 'to do', color: '#ff0000' });
  const near = await post(`/projects/${project.id}/labels`, { name: 'bug', color: '#00ff00', description: 'B' });
  const inGroup = await post(`/groups/${group.id}/milestones`, { title: 'v1' });
  const inProject = await post(`/projects/${project.id}/milestones`, { title: 'v 2' });
  const text = `~bug ~"to do" ~${near.id} ~none %v1 %"v 2" %${inProject.iid} %none`;
  const issues = `/${project.full_path}/-/issues?label_name[]=`;
  const milestone = `/${project.full_path}/-/milestones/${inProject.iid}`;
  assert.deepEqual(await leads(text, undefined, project.full_path), [
    `${issues}bug`,
    `${issues}to%20do`,
    `${issues}bug`,
    `/groups/${group.full_path}/-/milestones/${inGroup.iid}`,
    milestone,
    milestone,
  ]);
  const html = await render('~"to do" %"v 2"', { project: project.full_path });
  assert.match(html, /data-color="#ff0000">to do<\/a> .*>%v 2<\/a>/);
  const named = `${project.full_path}~bug`;
  assert.match(await render(named), />bug in .*<\/a>/);
  assert.deepEqual(await leads(named, users.stranger), []);
});

test('users, and groups that the reader may see', async () => {
  const closed = await app.make.group({ visibility: 'private' });
  const { user: banned } = await app.make.user();
  await app.deps.db.updateTable('users').set({ state: 'banned' }).where('id', '=', banned.id).execute();
  const { username } = users.guest.user;
  const text = `@${username}, @${username.toUpperCase()}. @${banned.username} @${closed.full_path} @nobody-at-all a@${username}`;
  assert.deepEqual(await leads(text, users.stranger), [`/${username}`, `/${username}`]);
  assert.deepEqual(await leads(text), [
    `/${username}`,
    `/${username}`,
    `/${banned.username}`,
    `/groups/${closed.full_path}`,
  ]);
  assert.match(await render(`@${username}`), new RegExp(`class="gfm gfm-project_member".*>@${username}</a>$`));
});

test('commits, for who may read the code', async () => {
  const commit = async (project: Project) =>
    (await commitFiles(app, project.id, { a: '1' }, { branch: 'main', commit_message: 'A title\n\nmore' }))
      .id as string;
  const [near, far] = [await commit(open), await commit(hidden)];
  const text = `${near.slice(0, 8)} ${near} hidden@${far.slice(0, 10)} ${near.slice(0, 7)}..${near.slice(0, 9)} deadbeef 1234567`;
  const own = [`/root/open/-/commit/${near}`, `/root/open/-/commit/${near}`];
  const range = `/root/open/-/compare/${near}..${near}`;
  assert.deepEqual(await leads(text, users.stranger), [...own, range]);
  assert.deepEqual(await leads(text, users.guest), [...own, range]);
  assert.deepEqual(await leads(text, users.reporter), [...own, `/root/hidden/-/commit/${far}`, range]);
  const html = await render(near);
  assert.match(html, new RegExp(`title="A title" class="gfm gfm-commit".*>${near.slice(0, 8)}</a>$`));
  assert.ok((await render(`hidden@${far}`)).endsWith(`>root/hidden@${far.slice(0, 8)}</a>`));
});

test('code, escapes and links name nothing', async () => {
  const { iid } = await issue(open);
  for (const text of [`\`#${iid}\``, `    #${iid}`, `\\#${iid}`, `x#${iid}`, `&#${iid};`, `<!-- #${iid} -->`]) {
    assert.doesNotMatch(await render(text), /gfm-issue/, text);
  }
  assert.deepEqual(await leads(`[#${iid}](/x) <a href="/y">#${iid}</a>`), ['/x', '/y']);
});

test('a text leads to so many objects, for so many queries', async () => {
  const { iid } = await issue(open);
  const many = Array.from({ length: 1_000 }, (_, n) => `#${1_000_000 + n}`).join(' ');
  assert.deepEqual(await leads(`#${iid} ${many} open#${iid}`), [`/root/open/-/issues/${iid}`]);
  assert.equal((await leads(`#${iid} `.repeat(6_000))).length, 5_000);
});

test('what is kept of a text is for nobody else, and not for later', async () => {
  const { iid, id } = await issue(hidden, { title: 'Before' });
  const text = `root/hidden#${iid} kept`;
  assert.match(await render(text, { token: users.guest.token }), /title="Before"/);
  assert.equal((await leads(text, users.stranger)).length, 0);
  await app.deps.db.updateTable('issues').set({ title: 'After' }).where('id', '=', id).execute();
  assert.match(await render(text, { token: users.guest.token }), /title="After"/);
  await app.deps.db.updateTable('issues').set({ confidential: 1 }).where('id', '=', id).execute();
  assert.equal((await leads(text, users.guest)).length, 0);
});
