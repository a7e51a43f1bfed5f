import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const OLD = '1'.repeat(40);
const NEW = '3ddec28ea23acc5caa5d8331a6ecb2a65fc03e88';

/** A project whose `main` has a submodule at `lib/part`. */
async function withSubmodule(t: TestContext, visibility: 'private' | 'public' = 'public') {
  const seeded = await seededProject(app, t, { visibility });
  const { git, head } = seeded;
  const inner = git.git(['mktree'], `160000 commit ${OLD}\tpart\n`);
  const blob = git.git(['rev-parse', `${head}:a.txt`]);
  const tree = git.git(['mktree'], `100644 blob ${blob}\ta.txt\n040000 tree ${inner}\tlib\n`);
  const start = git.git(['commit-tree', tree, '-p', head, '-m', 'with submodule']);
  git.git(['update-ref', 'refs/heads/main', start]);
  const put = (json: object, options: { token?: string | null; path?: string } = {}) =>
    app.put(`${seeded.path}/submodules/${encodeURIComponent(options.path ?? 'lib/part')}`, {
      json: { branch: 'main', commit_sha: NEW, ...json },
      ...(options.token === undefined ? {} : { token: options.token }),
    });
  return { ...seeded, start, put };
}

test('a submodule is moved by a real commit, which the branch and the feed show', async (t) => {
  const { put, git, start, project } = await withSubmodule(t);
  const made = expectStatus(await put({}), 200);
  assert.equal(made.title, `Updated submodule lib/part with oid ${NEW}`);
  assert.deepEqual(made.parent_ids, [start]);
  assert.equal(git.git(['rev-parse', 'main']), made.id);
  assert.equal(git.git(['ls-tree', 'main', 'lib/']), `160000 commit ${NEW}\tlib/part`);
  assert.match(git.git(['ls-tree', 'main', 'a.txt']), /^100644 blob/);
  const named = expectStatus(await put({ commit_sha: OLD.toUpperCase(), commit_message: 'Back' }), 200);
  assert.equal(named.message, 'Back');
  await app.drain();
  const events = expectStatus<{ push_data?: { commit_to: string } }[]>(
    await app.get(`/projects/${project.id}/events`, { query: { action: 'pushed' } }),
    200,
  );
  assert.deepEqual(
    events.map(({ push_data }) => push_data?.commit_to),
    [named.id, made.id],
  );
});

test('what is no submodule, no commit, no branch or no change is refused, and leaves no trace', async (t) => {
  const { put, git, start } = await withSubmodule(t);
  const refusals: [object, string | undefined, RegExp][] = [
    [{}, 'a.txt', /there is no submodule at 'a.txt'/],
    [{}, 'lib', /there is no submodule at 'lib'/],
    [{}, 'none', /there is no submodule at 'none'/],
    [{}, '../x', /directory traversal/],
    [{ commit_sha: OLD }, undefined, /already at this commit/],
    [{ commit_sha: 'main' }, undefined, /commit_sha must be the full id/],
    [{ commit_sha: NEW.slice(0, 12) }, undefined, /commit_sha must be the full id/],
    [{ commit_sha: '0'.repeat(40) }, undefined, /commit_sha must be the full id/],
    [{ commit_sha: 'a'.repeat(64) }, undefined, /object format/],
    [{ commit_sha: null }, undefined, /commit_sha/],
    [{ branch: null }, undefined, /branch/],
    [{ branch: 'none' }, undefined, /when you are on a branch/],
  ];
  for (const [json, path, text] of refusals) {
    const { message } = expectStatus<{ message: string }>(await put(json, path === undefined ? {} : { path }), 400);
    assert.match(String(message), text);
  }
  assert.equal(git.git(['rev-parse', 'main']), start);
});

test('whoever may push to the branch may move its submodules, and nobody else', async (t) => {
  const { put, project } = await withSubmodule(t);
  const { stranger, guest, reporter, developer, maintainer } = await app.make.members(project);
  expectStatus(await put({}, { token: null }), 401);
  for (const { token } of [stranger, guest, reporter]) expectStatus(await put({}, { token }), 403);
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'main' } }), 201);
  const { message } = expectStatus(await put({}, { token: developer.token }), 403);
  assert.equal(message, '403 Forbidden - You are not allowed to push into this branch');
  expectStatus(await put({}, { token: maintainer.token }), 200);
  const hidden = await withSubmodule(t, 'private');
  expectStatus(await hidden.put({}, { token: stranger.token }), 404);
});
