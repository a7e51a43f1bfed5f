import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { LICENCE_FACTS } from './licence-facts.ts';
import { LICENCE_TEXTS } from './licence-texts.ts';

interface Licence {
  key: string;
  name: string;
  popular: boolean;
  content: string;
}

let app: TestApp;
let closed: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp({ clock: new TestClock(new Date('2031-02-03T04:05:06.000Z')) });
  closed = await app.make.project({ visibility: 'private' });
  users = await app.make.members(closed);
  await commitFiles(
    app,
    closed.id,
    {
      '.gitlab/issue_templates/Bug.md': '## What happened\n',
      '.gitlab/issue_templates/A feature.md': 'é',
      '.gitlab/issue_templates/notes.txt': 'no template',
      '.gitlab/issue_templates/.md': 'nameless',
      '.gitlab/issue_templates/more/Deep.md': 'too deep',
      '.gitlab/merge_request_templates/Default.md': 'Why?',
    },
    { branch: 'main' },
  );
});
after(() => app.close());

const ANYONE = { token: null };
const get = async <T>(path: string, status = 200, token: string | null = null) =>
  expectStatus<T>(await app.get(path, { token }), status);
const keysOf = (listed: readonly { key: string }[]) => listed.map(({ key }) => key);

test('licences are for everybody, with what they say', async () => {
  assert.deepEqual(Object.keys(LICENCE_TEXTS).sort(), Object.keys(LICENCE_FACTS).sort());
  const all = await get<Licence[]>('/templates/licenses?per_page=100');
  assert.equal(all.length, 24);
  assert.deepEqual(keysOf(all), keysOf(all).toSorted());
  const popular = await get<Licence[]>('/templates/licenses?popular=true&per_page=100');
  assert.deepEqual(keysOf(popular), keysOf(all.filter((each) => each.popular)));
  assert.ok(keysOf(popular).includes('mit') && popular.length < all.length);
  assert.equal((await get<Licence[]>('/templates/licenses?per_page=2&page=2')).length, 2);
  for (const each of all) {
    assert.ok(each.content.length > 400 && each.name !== '', each.key);
    assert.doesNotMatch(each.name, / only$/, each.key);
  }
});

test('the places of a licence are filled', async () => {
  const mit = (query = '', token: string | null = null) => get<Licence>(`/templates/licenses/MIT${query}`, 200, token);
  assert.match((await mit()).content, /^Copyright \(c\) 2031 <copyright holders>$/m);
  assert.match((await mit('?fullname=Ada%20$%26')).content, /^Copyright \(c\) 2031 Ada \$&$/m);
  assert.match((await mit('', users.guest.token)).content, new RegExp(`2031 ${users.guest.user.name}`));
  const filled = async (key: string) =>
    (await get<Licence>(`/templates/licenses/${key}?fullname=Ada&project=Engine`)).content;
  for (const key of ['apache-2.0', 'bsd-2-clause', 'bsd-3-clause', 'isc', '0bsd', 'mit-0', 'upl-1.0', 'gpl-3.0']) {
    assert.match(await filled(key), /2031 +Ada/, key);
  }
  assert.match(await filled('gpl-3.0'), /Engine\s+Copyright/);
  const { message } = await get<{ message: string }>('/templates/licenses/no-such', 404);
  assert.equal(message, '404 License Not Found');
  await get('/templates/licenses/__proto__', 404);
});

test('files are for everybody', async () => {
  const examples = { dockerfiles: 'Node', gitignores: 'C++', gitlab_ci_ymls: 'Bash' };
  for (const [kind, example] of Object.entries(examples)) {
    const listed = await get<{ key: string; name: string }[]>(`/templates/${kind}?per_page=100`);
    assert.ok(listed.length >= 9, kind);
    assert.deepEqual(keysOf(listed), keysOf(listed).toSorted());
    for (const { key } of listed.slice(0, 30)) {
      const { name, content } = await get<{ name: string; content: string }>(
        `/templates/${kind}/${encodeURIComponent(key)}`,
      );
      assert.equal(name, key);
      assert.match(content, /^\S[\s\S]*\n$/, key);
    }
    assert.ok(keysOf(listed).includes(example), kind);
    for (const hostile of [
      'no-such',
      '..%2f..%2flicences',
      '%2e%2e%2fgitignores%2fNode',
      'Node%00',
      'Node.gitignore',
    ]) {
      const answer = await app.get(`/templates/${kind}/${hostile}`, ANYONE);
      assert.ok(answer.statusCode === 404 || answer.statusCode === 400, `${hostile}: ${answer.statusCode}`);
      assert.doesNotMatch(answer.body, /"content"/, hostile);
    }
  }
});

test('CI configurations are those that can be included', async () => {
  const project = await app.make.project();
  const { content } = await get<{ content: string }>('/templates/gitlab_ci_ymls/Jobs%2FBuild');
  assert.match(content, /^build:/m);
  const lint = await app.post(`/projects/${project.id}/ci/lint`, {
    json: { content: 'include: {template: Nodejs.gitlab-ci.yml}' },
  });
  assert.deepEqual(expectStatus<{ errors: string[] }>(lint, 200).errors, []);
});

test('templates of a project: those of the server, for who sees it', async () => {
  const path = `/projects/${closed.id}/templates`;
  const kinds = ['dockerfiles', 'gitignores', 'gitlab_ci_ymls', 'licenses'];
  for (const kind of kinds) {
    await get(`${path}/${kind}`, 404);
    await get(`${path}/${kind}`, 404, users.stranger.token);
    const listed = await get<{ key: string; name: string }[]>(`${path}/${kind}`, 200, users.guest.token);
    assert.deepEqual(Object.keys(listed[0]!), ['key', 'name']);
  }
  assert.match(
    (await get<{ content: string }>(`${path}/gitignores/Node`, 200, users.guest.token)).content,
    /node_modules/,
  );
  assert.match((await get<Licence>(`${path}/licenses/mit?fullname=Ada`, 200, users.guest.token)).content, /2031 Ada/);
  for (const kind of [...kinds, 'issues', 'merge_requests']) {
    const { message } = await get<{ message: string }>(`${path}/${kind}/no-such`, 404, users.owner.token);
    assert.equal(message, '404 Template Not Found', kind);
  }
  await get(`${path}/others`, 400, users.owner.token);
});

test('templates of issues and merge requests are files, for who may read code', async () => {
  const path = `/projects/${closed.id}/templates`;
  const issues = (token: string | null, status = 200) => get<{ key: string }[]>(`${path}/issues`, status, token);
  await issues(null, 404);
  await issues(users.stranger.token, 404);
  await issues(users.guest.token, 403);
  await issues(users.planner.token, 403);
  await get(`${path}/issues/Bug`, 403, users.planner.token);
  for (const { token } of [users.reporter, users.developer, users.maintainer, users.owner]) {
    assert.deepEqual(keysOf(await issues(token)), ['A feature', 'Bug']);
    assert.deepEqual(await get(`${path}/issues/Bug`, 200, token), { name: 'Bug', content: '## What happened\n' });
  }
  const { token } = users.reporter;
  assert.deepEqual(await get(`${path}/issues/A%20feature`, 200, token), { name: 'A feature', content: 'é' });
  assert.deepEqual(keysOf(await get(`${path}/merge_requests`, 200, token)), ['Default']);
  for (const name of [
    'notes.txt',
    'notes',
    'Deep',
    'more%2FDeep',
    'Default',
    '..%2fmerge_request_templates%2fDefault',
  ]) {
    await get(`${path}/issues/${name}`, 404, token);
  }
});

test('templates of a public project, without a repository, and of another project', async () => {
  const open = await app.make.project({ visibility: 'public' });
  assert.deepEqual(await get(`/projects/${open.id}/templates/issues`), []);
  await commitFiles(app, open.id, { '.gitlab/issue_templates/Bug.md': 'open' }, { branch: 'main' });
  assert.deepEqual(await get(`/projects/${open.id}/templates/issues`), [{ key: 'Bug', name: 'Bug' }]);
  const from = (id: number, token: string | null, status: number) =>
    get<{ content: string }>(
      `/projects/${open.id}/templates/issues/Bug?source_template_project_id=${id}`,
      status,
      token,
    );
  assert.equal((await from(open.id, null, 200)).content, 'open');
  assert.equal((await from(closed.id, users.reporter.token, 200)).content, '## What happened\n');
  await from(closed.id, users.guest.token, 403);
  await from(closed.id, users.stranger.token, 404);
  await from(closed.id, null, 404);
  await from(999_999, users.reporter.token, 404);
  await app.put(`/projects/${open.id}`, { json: { issues_access_level: 'disabled' } });
  await get(`/projects/${open.id}/templates/issues`, 403);
});
