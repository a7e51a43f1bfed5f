import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';

const NEXT_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

/** The unmodified JavaScript client against the listening server. */
let app: TestApp;
let api: InstanceType<typeof Gitlab<false>>;
let projectId: number;
before(async () => {
  app = await buildTestApp();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
  projectId = (await api.Projects.create({ name: 'Client', initializeWithReadme: true })).id;
});
after(() => app.close());

/** The status and text of a refusal, as the client shows them. */
async function refusal(promise: Promise<unknown>): Promise<{ status: number; description: string }> {
  const error = await promise.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason as { cause: { description: string; response: Response } },
  );
  return { status: error.cause.response.status, description: error.cause.description };
}

describe('projects, groups, users and members', () => {
  test('a project is made, shown by id and path, changed and removed', async () => {
    const project = await api.Projects.create({ name: 'Made here', description: 'first', visibility: 'public' });
    assert.equal(project.path_with_namespace, 'root/made-here');
    assert.equal((await api.Projects.show('root/made-here')).id, project.id);
    assert.equal((await api.Projects.edit(project.id, { description: 'second' })).description, 'second');
    await api.Projects.remove(project.id);
    assert.deepEqual(await refusal(api.Projects.show(project.id)), {
      status: 404,
      description: '404 Project Not Found',
    });
  });

  test('a group holds subgroups and projects', async () => {
    const group = await api.Groups.create('Team', 'team', { visibility: 'internal' });
    const child = await api.Groups.create('Inner', 'inner', { parentId: group.id });
    assert.equal(child.full_path, 'team/inner');
    const project = await api.Projects.create({ name: 'Within', namespaceId: child.id });
    assert.equal(project.path_with_namespace, 'team/inner/within');
    const projects = await api.Groups.allProjects('team', { includeSubgroups: true });
    assert.deepEqual(
      projects.map(({ id }) => id),
      [project.id],
    );
    assert.deepEqual(
      (await api.Groups.allSubgroups('team')).map(({ id }) => id),
      [child.id],
    );
  });

  test('a user becomes a member with a level', async () => {
    const user = await api.Users.create({
      username: 'ada',
      name: 'Ada',
      email: 'ada@example.org',
      password: 'correct horse 9 battery',
      skipConfirmation: true,
    });
    assert.equal((await api.Users.all({ username: 'ada' }))[0]?.id, user.id);
    const member = await api.ProjectMembers.add(projectId, 30, { userId: user.id });
    assert.equal(member.access_level, 30);
    assert.equal((await api.ProjectMembers.edit(projectId, user.id, 40)).access_level, 40);
    const names = (await api.ProjectMembers.all(projectId)).map(({ username }) => username);
    assert.ok(names.includes('ada'), names.join());
    await api.ProjectMembers.remove(projectId, user.id);
    assert.equal((await refusal(api.ProjectMembers.show(projectId, user.id))).status, 404);
  });

  test('tokens are made, listed and revoked', async () => {
    const token = await api.ProjectAccessTokens.create(projectId, 'ci', ['api'], NEXT_MONTH, { accessLevel: 30 });
    const asBot = new Gitlab({ host: await app.listen(), token: token.token });
    assert.equal((await asBot.Projects.show(projectId)).id, projectId);
    await api.ProjectAccessTokens.revoke(projectId, token.id);
    assert.equal((await refusal(asBot.Projects.show(projectId))).status, 401);
    const me = await api.Users.showCurrentUser();
    const personal = await api.PersonalAccessTokens.create(me.id, 'mine', ['read_api'], { expiresAt: NEXT_MONTH });
    const mine = new Gitlab({ host: await app.listen(), token: String(personal.token) });
    assert.equal((await mine.Users.showCurrentUser()).username, 'root');
    assert.equal((await refusal(mine.Projects.create({ name: 'No' }))).status, 403);
  });
});

describe('branches, tags, commits and files', () => {
  test('commits are made from actions, listed and shown', async () => {
    const commit = await api.Commits.create(projectId, 'main', 'several files', [
      { action: 'create', filePath: 'src/a.txt', content: 'one\n' },
      {
        action: 'create',
        filePath: 'src/b.bin',
        content: Buffer.from([0, 1, 255]).toString('base64'),
        encoding: 'base64',
      },
      { action: 'chmod', filePath: 'README.md', execute_filemode: true },
    ]);
    assert.equal(commit.title, 'several files');
    const [latest] = await api.Commits.all(projectId, { refName: 'main', perPage: 1, maxPages: 1 });
    assert.equal(latest?.id, commit.id);
    assert.equal((await api.Commits.show(projectId, commit.id)).stats.additions, 1);
  });

  test('branches are made, found, protected and removed', async () => {
    const branch = await api.Branches.create(projectId, 'feature/x', 'main');
    assert.equal(branch.commit.id, (await api.Branches.show(projectId, 'main')).commit.id);
    assert.deepEqual(
      (await api.Branches.all(projectId, { search: '^feature' })).map(({ name }) => name),
      ['feature/x'],
    );
    const protection = await api.ProtectedBranches.protect(projectId, 'feature/*', { allowForcePush: true });
    assert.equal(protection.allow_force_push, true);
    assert.equal((await api.Branches.show(projectId, 'feature/x')).protected, true);
    await api.ProtectedBranches.unprotect(projectId, 'feature/*');
    await api.Branches.remove(projectId, 'feature/x');
    assert.equal((await refusal(api.Branches.show(projectId, 'feature/x'))).status, 404);
  });

  test('tags with and without a message', async () => {
    const light = await api.Tags.create(projectId, 'v1.0', 'main');
    assert.equal(light.target, light.commit.id);
    const annotated = await api.Tags.create(projectId, 'v1.1', 'main', { message: 'the next one' });
    assert.notEqual(annotated.target, annotated.commit.id);
    assert.equal((await api.Tags.show(projectId, 'v1.1')).message, 'the next one');
    await api.Tags.remove(projectId, 'v1.0');
    assert.deepEqual(
      (await api.Tags.all(projectId)).map(({ name }) => name),
      ['v1.1'],
    );
  });

  test('a file is made, shown, read raw, changed, blamed and removed', async () => {
    const path = 'docs/a file.md';
    const made = await api.RepositoryFiles.create(projectId, path, 'main', 'line 1\n', 'add it');
    assert.deepEqual(made, { file_path: path, branch: 'main' });
    const shown = await api.RepositoryFiles.show(projectId, path, 'main');
    assert.equal(Buffer.from(shown.content, 'base64').toString(), 'line 1\n');
    assert.equal(await api.RepositoryFiles.showRaw(projectId, path, 'main'), 'line 1\n');
    await api.RepositoryFiles.edit(projectId, path, 'main', 'line 1\nline 2\n', 'change it', {
      lastCommitId: shown.last_commit_id,
    });
    const blame = await api.RepositoryFiles.allFileBlames(projectId, path, 'main');
    assert.deepEqual(
      blame.map(({ lines, commit }) => [lines, commit?.message]),
      [
        [['line 1'], 'add it'],
        [['line 2'], 'change it'],
      ],
    );
    await api.RepositoryFiles.remove(projectId, path, 'main', 'remove it');
    const gone = await refusal(api.RepositoryFiles.show(projectId, path, 'main'));
    assert.deepEqual(gone, { status: 404, description: '404 File Not Found' });
  });
});

describe('pages and refusals', () => {
  test('all pages of a list are walked by offset and by keyset', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `page/${index}`);
    for (const name of names) await api.Branches.create(projectId, name, 'main');
    const offset = await api.Branches.all(projectId, { search: '^page/', perPage: 3 });
    assert.deepEqual(
      offset.map(({ name }) => name),
      names,
    );
    const keyset = await api.Branches.all(projectId, { search: '^page/', pagination: 'keyset', perPage: 3 });
    assert.deepEqual(
      keyset.map(({ name }) => name),
      names,
    );
    const page = await api.Branches.all(projectId, { search: '^page/', perPage: 3, page: 2, showExpanded: true });
    assert.equal(page.paginationInfo.total, 7);
    assert.equal(page.paginationInfo.totalPages, 3);
    assert.equal(page.paginationInfo.next, 3);
    const projects = await api.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 1 });
    assert.equal(new Set(projects.map(({ id }) => id)).size, projects.length);
    assert.ok(projects.length >= 2);
  });

  test('the texts of refusals reach the caller', async () => {
    const wrong = new Gitlab({ host: await app.listen(), token: 'glpat-wrong' });
    assert.deepEqual(await refusal(wrong.Projects.all()), { status: 401, description: '401 Unauthorized' });
    const twice = await refusal(api.Branches.create(projectId, 'main', 'main'));
    assert.deepEqual(twice, { status: 400, description: 'Branch already exists' });
    const unknown = await refusal(api.Branches.create(projectId, 'from-nowhere', 'no-such-ref'));
    assert.equal(unknown.status, 400);
    assert.equal(unknown.description, "Failed to create branch 'from-nowhere': invalid reference name 'no-such-ref'");
    const taken = await refusal(api.Projects.create({ name: 'Client' }));
    assert.equal(taken.status, 400);
    assert.match(taken.description, /has already been taken/);
  });
});
