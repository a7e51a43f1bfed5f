import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { BranchJson } from './branches.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;

test('GET /branches lists branches by name with what the caller may do', async (t) => {
  const { path, git, head, base, side, project } = await seededProject(app, t);
  git.git(['update-ref', 'refs/heads/old', base]);
  git.git(['update-ref', 'refs/heads/same', head]);
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'ma*', push_access_level: 30 } });
  const { reporter, developer } = await app.make.members(project);
  const response = await app.get(`${path}/branches`, { token: developer.token });
  const branches = expectStatus<BranchJson[]>(response, 200);
  assert.deepEqual(
    branches.map(({ name, commit, merged, default: main, protected: isProtected, can_push, developers_can_push }) => {
      return { name, oid: commit.id, merged, main, isProtected, can_push, developers_can_push };
    }),
    [
      {
        name: 'main',
        oid: head,
        merged: false,
        main: true,
        isProtected: true,
        can_push: true,
        developers_can_push: true,
      },
      {
        name: 'old',
        oid: base,
        merged: true,
        main: false,
        isProtected: false,
        can_push: true,
        developers_can_push: false,
      },
      {
        name: 'same',
        oid: head,
        merged: false,
        main: false,
        isProtected: false,
        can_push: true,
        developers_can_push: false,
      },
      {
        name: 'side',
        oid: side,
        merged: false,
        main: false,
        isProtected: false,
        can_push: true,
        developers_can_push: false,
      },
    ],
  );
  assert.equal(branches[0]!.developers_can_merge, false);
  assert.equal(branches[0]!.web_url, `${app.deps.externalUrl()}/${project.full_path}/-/tree/main`);
  assert.deepEqual(
    [branches[0]!.commit.title, branches[0]!.commit.parent_ids, branches[0]!.commit.trailers],
    ['second', [base], {}],
  );
  assert.equal(response.headers['x-total'], '4');
  const seen = expectStatus<BranchJson[]>(await app.get(`${path}/branches`, { token: reporter.token }), 200);
  assert.deepEqual(
    seen.map(({ can_push }) => can_push),
    [false, false, false, false],
  );
});

test('GET /branches follows every change of what it shows', async (t) => {
  const { path, git, head, project, side } = await seededProject(app, t);
  const list = async () => expectStatus<BranchJson[]>(await app.get(`${path}/branches`), 200);
  assert.deepEqual(await list(), await list());
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'side', push_access_level: 0 } });
  assert.deepEqual(
    (await list()).map(({ protected: isProtected, can_push }) => [isProtected, can_push]),
    [
      [false, true],
      [true, false],
    ],
  );
  git.git(['update-ref', 'refs/heads/main', git.commit({ 'a.txt': 'both\n' }, [head, side])]);
  assert.equal((await list())[1]!.merged, true);
  git.git(['symbolic-ref', 'HEAD', 'refs/heads/side']);
  assert.deepEqual(
    (await list()).map((branch) => branch.default),
    [false, true],
  );
  git.git(['update-ref', '-d', 'refs/heads/side']);
  assert.deepEqual(
    (await list()).map(({ name }) => name),
    ['main'],
  );
});

test('GET /branches is open to whoever sees the code', async (t) => {
  const open = await seededProject(app, t, { visibility: 'public' });
  const anonymous = await app.get(`${open.path}/branches`, { token: null });
  assert.equal(expectStatus<BranchJson[]>(anonymous, 200)[0]!.can_push, false);
  const closed = await seededProject(app, t);
  expectStatus(await app.get(`${closed.path}/branches`, { token: null }), 404);
  const { stranger, guest, reporter } = await app.make.members(closed.project);
  for (const [{ token }, status] of [
    [stranger, 404],
    [guest, 403],
    [reporter, 200],
  ] as const) {
    expectStatus(await app.get(`${closed.path}/branches`, { token }), status);
    expectStatus(await app.get(`${closed.path}/branches/main`, { token }), status);
  }
});

test('GET /branches of an empty repository is an empty list', async () => {
  const { id } = await app.make.project();
  const response = await app.get(`/projects/${id}/repository/branches`);
  assert.deepEqual(expectStatus<BranchJson[]>(response, 200), []);
  assert.equal(response.headers['x-total'], '0');
});

test('GET /branches leaves out a branch whose commit is lost, and shows the others', async (t) => {
  const { path, git } = await seededProject(app, t);
  await import('node:fs/promises').then(({ writeFile }) =>
    writeFile(`${git.dir}/refs/heads/lost`, `${'1'.repeat(40)}\n`),
  );
  const branches = expectStatus<BranchJson[]>(await app.get(`${path}/branches`), 200);
  assert.deepEqual(
    branches.map(({ name }) => name),
    ['main', 'side'],
  );
  expectStatus(await app.get(`${path}/branches/lost`), 404);
});

test('GET /branches/:branch gives one, also by a name with slashes and other signs', async (t) => {
  const { path, git, head } = await seededProject(app, t);
  const name = 'feature/ü #1%$';
  git.git(['update-ref', `refs/heads/${name.replace(' ', '-')}`, head]);
  const encoded = encodeURIComponent(name.replace(' ', '-'));
  const branch = expectStatus<BranchJson>(await app.get(`${path}/branches/${encoded}`), 200);
  assert.equal(branch.name, 'feature/ü-#1%$');
  assert.ok(branch.web_url.endsWith('/-/tree/feature/%C3%BC-%231%25%24'));
  expectStatus(await app.head(`${path}/branches/${encoded}`), 204);
});

test('a branch that is not there is 404, a name that no branch can have 400', async (t) => {
  const { path } = await seededProject(app, t);
  assert.equal(message(expectStatus(await app.get(`${path}/branches/none`), 404)), '404 Branch Not Found');
  for (const name of ['a b', 'a..b', 'branch*', 'a.lock', '@{-1}', 'a\\b']) {
    const body = expectStatus(await app.get(`${path}/branches/${encodeURIComponent(name)}`), 400);
    assert.equal(message(body), 'The branch refname is invalid');
  }
  expectStatus(await app.head(`${path}/branches/none`), 404);
  expectStatus(await app.head(`${path}/branches/main`, { token: null }), 404);
});

test('POST /branches makes a branch at a branch, a tag or a commit, and records a push', async (t) => {
  const { path, git, head, base, side, project } = await seededProject(app, t);
  git.git(['tag', '-a', '-m', 'release', 'v1', base]);
  const { developer } = await app.make.members(project);
  const { token } = developer;
  const made = async (branch: string, ref: string) =>
    expectStatus<BranchJson>(await app.post(`${path}/branches`, { token, json: { branch, ref } }), 201);
  assert.equal((await made('from-branch', 'side')).commit.id, side);
  assert.equal((await made('from-tag', 'v1')).commit.id, base);
  assert.equal((await made('from-sha', head)).commit.id, head);
  assert.equal((await made('from-short', base.slice(0, 8))).commit.id, base);
  assert.equal(git.git(['rev-parse', 'refs/heads/from-tag']), base);
  const query = expectStatus<BranchJson>(
    await app.post(`${path}/branches`, { token, query: { branch: 'by-query', ref: 'main' }, json: {} }),
    201,
  );
  assert.deepEqual([query.name, query.can_push, query.default], ['by-query', true, false]);
  const event = await app.deps.db
    .selectFrom('domain_events')
    .selectAll()
    .where('type', '=', 'push')
    .where('project_id', '=', project.id)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  assert.equal(event.actor_id, developer.user.id);
  assert.deepEqual(JSON.parse(event.payload).updates, [{ ref: 'refs/heads/from-branch', old: null, new: side }]);
});

test('POST /branches refuses in the words of the platform', async (t) => {
  const { path, head } = await seededProject(app, t);
  const post = async (json: object) => message(expectStatus(await app.post(`${path}/branches`, { json }), 400));
  assert.equal(await post({ ref: 'main' }), 'branch is missing, branch is empty');
  assert.equal(await post({ branch: 'x', ref: '' }), 'ref is empty');
  assert.equal(await post({ branch: 'main', ref: 'main' }), 'Branch already exists');
  const unknown = "Failed to create branch 'x': invalid reference name 'none'";
  assert.equal(await post({ branch: 'x', ref: 'none' }), unknown);
  assert.match(await post({ branch: 'x', ref: '--output=/tmp/x' }), /^Failed to create branch 'x'/);
  assert.match(await post({ branch: 'main/x', ref: 'main' }), /^Failed to create branch 'main\/x'/);
  const bad = ['-d', '--upload-pack=x', 'refs/heads/x', 'HEAD', '@', '@{-1}', 'a..b', 'a.lock', 'a b'];
  for (const branch of [...bad, head, `${head}/x`, `${head}-x`, 'a'.repeat(64), `x/${'y'.repeat(300)}`, '.a', 'a/']) {
    assert.equal(await post({ branch, ref: 'main' }), 'Branch name is invalid', branch);
  }
  const names = expectStatus<BranchJson[]>(await app.get(`${path}/branches`), 200).map(({ name }) => name);
  assert.deepEqual(names, ['main', 'side']);
});

test('two POST /branches of one name at once: one makes it, the other is refused', async (t) => {
  const { path } = await seededProject(app, t);
  const create = () => app.post(`${path}/branches`, { json: { branch: 'twice', ref: 'main' } });
  const answers = await Promise.all([create(), create(), create()]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400]);
  for (const response of answers) {
    if (response.statusCode === 400) assert.equal(response.json().message, 'Branch already exists');
  }
});

test('POST and DELETE /branches need Developers, a token that writes, and a project that is not archived', async (t) => {
  const { path, project } = await seededProject(app, t, { visibility: 'public' });
  const { stranger, guest, reporter, developer, maintainer, owner } = await app.make.members(project);
  const json = { branch: 'x', ref: 'main' };
  for (const token of [null, stranger.token, guest.token, reporter.token]) {
    expectStatus(await app.post(`${path}/branches`, { token, json }), token === null ? 401 : 403);
    expectStatus(await app.delete(`${path}/branches/side`, { token }), token === null ? 401 : 403);
    expectStatus(await app.delete(`${path}/merged_branches`, { token }), token === null ? 401 : 403);
  }
  const readOnly = await app.make.token(developer.user.id, ['read_api']);
  expectStatus(await app.post(`${path}/branches`, { token: readOnly, json }), 403);
  for (const { token } of [developer, maintainer, owner]) {
    expectStatus(await app.post(`${path}/branches`, { token, json }), 201);
    expectStatus(await app.delete(`${path}/branches/x`, { token }), 204);
  }
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
  expectStatus(await app.post(`${path}/branches`, { json }), 403);
});

test('DELETE /branches/:branch removes it, or says why not', async (t) => {
  const { path, git, project } = await seededProject(app, t);
  const { developer, maintainer } = await app.make.members(project);
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'keep/*' } });
  git.git(['update-ref', 'refs/heads/keep/me', 'refs/heads/main']);
  const remove = async (name: string, status: number, token: string) =>
    message(expectStatus(await app.delete(`${path}/branches/${encodeURIComponent(name)}`, { token }), status) ?? {});
  assert.equal(await remove('none', 404, developer.token), '404 Branch Not Found');
  assert.equal(await remove('main', 400, maintainer.token), 'The default branch of a project cannot be deleted.');
  assert.match(await remove('keep/me', 400, developer.token), /^You are not allowed to delete protected branches/);
  assert.match(await remove('keep/me', 400, maintainer.token), /^You can only delete protected branches using/);
  await remove('side', 204, developer.token);
  assert.deepEqual(git.git(['for-each-ref', '--format=%(refname)']).split('\n'), [
    'refs/heads/keep/me',
    'refs/heads/main',
  ]);
});

test('DELETE /branches/:branch heeds If-Unmodified-Since', async (t) => {
  const { path } = await seededProject(app, t);
  const headers = { 'if-unmodified-since': 'Tue, 14 Nov 2023 00:00:00 GMT' };
  expectStatus(await app.delete(`${path}/branches/side`, { headers }), 412);
  expectStatus(
    await app.delete(`${path}/branches/side`, { headers: { 'if-unmodified-since': 'Wed, 15 Nov 2023 00:00:00 GMT' } }),
    204,
  );
});

test('a branch of a protected pattern is made only by those who may push there', async (t) => {
  const { path, project } = await seededProject(app, t);
  const { developer, maintainer } = await app.make.members(project);
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'release/*' } });
  const json = { branch: 'release/1', ref: 'main' };
  const body = expectStatus(await app.post(`${path}/branches`, { token: developer.token, json }), 400);
  assert.equal(message(body), 'You are not allowed to create protected branches on this project.');
  expectStatus(await app.post(`${path}/branches`, { token: maintainer.token, json }), 201);
});

test('a tag of the same name never stands in for a branch', async (t) => {
  const { path, git, head, base } = await seededProject(app, t);
  git.git(['update-ref', 'refs/tags/main', base]);
  git.git(['update-ref', 'refs/tags/only-tag', base]);
  assert.equal(expectStatus<BranchJson>(await app.get(`${path}/branches/main`), 200).commit.id, head);
  expectStatus(await app.get(`${path}/branches/only-tag`), 404);
  expectStatus(await app.delete(`${path}/branches/only-tag`), 404);
  assert.equal(git.git(['rev-parse', 'refs/tags/only-tag']), base);
});

test('PUT /branches/:branch/protect and unprotect, the old way', async (t) => {
  const { path, project } = await seededProject(app, t);
  const { developer, maintainer } = await app.make.members(project);
  const { token } = maintainer;
  const rights = (branch: BranchJson) => [branch.protected, branch.developers_can_push, branch.developers_can_merge];
  const put = async (name: string, json: object = {}) =>
    rights(expectStatus<BranchJson>(await app.put(`${path}/branches/side/${name}`, { token, json }), 200));
  expectStatus(await app.put(`${path}/branches/side/protect`, { token: developer.token }), 403);
  expectStatus(await app.put(`${path}/branches/none/protect`, { token }), 404);
  assert.deepEqual(await put('protect'), [true, false, false]);
  assert.deepEqual(await put('protect', { developers_can_push: true }), [true, true, false]);
  assert.deepEqual(await put('protect', { developers_can_merge: true }), [true, true, true]);
  assert.deepEqual(await put('protect', { developers_can_push: false }), [true, false, true]);
  assert.deepEqual(await put('unprotect'), [false, false, false]);
  assert.deepEqual(await put('unprotect'), [false, false, false]);
});

test('the first branch of an empty repository was refused: now the default branch is begun first', async () => {
  const project = await app.make.project();
  const { developer, reporter } = await app.make.members(project);
  const path = `/projects/${project.id}/repository`;
  const names = async () =>
    expectStatus<BranchJson[]>(await app.get(`${path}/branches`), 200).map(({ name, commit }) => [name, commit.title]);
  const post = (json: object, token = developer.token) => app.post(`${path}/branches`, { token, json });
  expectStatus(await post({ branch: 'topic', ref: 'main' }, reporter.token), 403);
  const unknown = expectStatus(await post({ branch: 'topic', ref: 'other' }), 400);
  assert.equal(message(unknown), "Failed to create branch 'topic': invalid reference name 'other'");
  assert.deepEqual(await names(), []);
  const made = expectStatus<BranchJson>(await post({ branch: 'topic', ref: 'main' }), 201);
  assert.deepEqual(
    [made.name, made.default, made.commit.author_name, made.commit.parent_ids],
    ['topic', false, developer.user.name, []],
  );
  assert.deepEqual(await names(), [
    ['main', 'Add README.md'],
    ['topic', 'Add README.md'],
  ]);
  const file = expectStatus(await app.get(`${path}/files/README.md?ref=topic`), 200);
  assert.equal(file.size, 0);
  assert.equal(expectStatus<BranchJson>(await app.get(`${path}/branches/main`), 200).protected, true);
});

test('the default branch itself can be the first branch that is asked for, once', async () => {
  for (const ref of ['main', 'HEAD', 'refs/heads/main']) {
    const { id } = await app.make.project();
    const post = () => app.post(`/projects/${id}/repository/branches`, { json: { branch: 'main', ref } });
    const made = expectStatus<BranchJson>(await post(), 201);
    assert.deepEqual([made.name, made.default, made.commit.title], ['main', true, 'Add README.md']);
    assert.equal(message(expectStatus(await post(), 400)), 'Branch already exists');
  }
});

test('many first branches at once: all are made, on one first commit', async () => {
  const { id } = await app.make.project();
  const path = `/projects/${id}/repository/branches`;
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((branch) => app.post(path, { json: { branch, ref: 'main' } })),
  );
  const oids = answers.map((response) => expectStatus<BranchJson>(response, 201).commit.id);
  assert.equal(new Set(oids).size, 1);
});

test('a protected branch of an empty repository is begun by those alone who may push there', async () => {
  const project = await app.make.project();
  const { developer, maintainer } = await app.make.members(project);
  await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'main' } });
  const post = ({ token }: { token: string }) =>
    app.post(`/projects/${project.id}/repository/branches`, { token, json: { branch: 'topic', ref: 'main' } });
  assert.match(message(expectStatus(await post(developer), 400)), /^You are not allowed to create protected branches/);
  expectStatus(await post(maintainer), 201);
});

test('who may merge into a protected pattern begins a branch there, from a protected branch alone', async (t) => {
  const { path, project, head, base, git } = await seededProject(app, t);
  const { developer, maintainer, reporter } = await app.make.members(project);
  const protect = (json: object) => app.post(`/projects/${project.id}/protected_branches`, { json });
  expectStatus(await protect({ name: 'main' }), 201);
  expectStatus(await protect({ name: 'release/*', push_access_level: 0, merge_access_level: 30 }), 201);
  const post = (branch: string, ref: string, { token } = developer) =>
    app.post(`${path}/branches`, { token, json: { branch, ref } });
  expectStatus(await post('release/1', 'main', reporter), 403);
  const outside = 'You can only use an existing protected branch ref as the basis of a new protected branch.';
  assert.equal(message(expectStatus(await post('release/1', 'side'), 400)), outside);
  assert.equal(expectStatus<BranchJson>(await post('release/1', 'main'), 201).commit.id, head);
  assert.equal(expectStatus<BranchJson>(await post('release/2', base, maintainer), 201).commit.id, base);
  git.git(['update-ref', 'refs/heads/release/3', git.commit({ 'a.txt': 'x' }, [base])]);
  expectStatus(await post('release/4', 'release/3'), 201);
  expectStatus(await protect({ name: 'closed/*', push_access_level: 0, merge_access_level: 0 }), 201);
  const closed = 'You are not allowed to create protected branches on this project.';
  assert.equal(message(expectStatus(await post('closed/1', 'main', maintainer), 400)), closed);
});
