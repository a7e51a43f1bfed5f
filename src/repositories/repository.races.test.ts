import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { cloneUrl, mustGit, runGitClient } from '../../test/support/git-client.ts';
import { meanwhile } from '../../test/support/meanwhile.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import type { Project } from '../db/tables/projects.table.ts';

let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
});
after(() => app.close());

interface Scene {
  project: Project;
  git: ProjectGit;
  developer: TestUser;
  path: string;
  /** A commit that is not on `work`. */
  side: string;
}

async function scene(): Promise<Scene> {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1\n' });
  git.commit('work', { w: '1\n' }, { start: base });
  const side = git.commit('side', { s: '1\n' }, { start: base });
  git.run(['tag', 'v1', base]);
  const developer = await app.make.user();
  await app.make.member({ project }, developer.user, 30);
  return { project, git, developer, path: `/projects/${project.id}/repository`, side };
}

const refsOf = ({ git }: Scene): string => git.run(['for-each-ref', 'refs/heads', 'refs/tags']);
const token = ({ developer }: Scene) => ({ token: developer.token });
const onWork = (more: object = {}) => ({ branch: 'work', commit_message: 'x', ...more });

/** Everything by which a Developer may move refs through the API. */
const WRITES: Record<string, (made: Scene) => ReturnType<TestApp['request']>> = {
  'a commit': (made) => {
    const actions = [{ action: 'create', file_path: 'new', content: 'x' }];
    return app.post(`${made.path}/commits`, { ...token(made), json: onWork({ actions }) });
  },
  'a commit that replaces the branch': (made) => {
    const actions = [{ action: 'create', file_path: 'new', content: 'x' }];
    const json = onWork({ actions, start_branch: 'side', force: true });
    return app.post(`${made.path}/commits`, { ...token(made), json });
  },
  'a new file': (made) => app.post(`${made.path}/files/new`, { ...token(made), json: onWork({ content: 'x' }) }),
  'a changed file': (made) => app.put(`${made.path}/files/w`, { ...token(made), json: onWork({ content: 'x' }) }),
  'a deleted file': (made) => app.delete(`${made.path}/files/w`, { ...token(made), json: onWork() }),
  'a cherry-pick': (made) =>
    app.post(`${made.path}/commits/${made.side}/cherry_pick`, { ...token(made), json: { branch: 'work' } }),
  'a revert': (made) => app.post(`${made.path}/commits/work/revert`, { ...token(made), json: { branch: 'work' } }),
  'a new branch': (made) => app.post(`${made.path}/branches`, { ...token(made), json: { branch: 'b', ref: 'main' } }),
  'a deleted branch': (made) => app.delete(`${made.path}/branches/work`, token(made)),
  'a new tag': (made) => app.post(`${made.path}/tags`, { ...token(made), json: { tag_name: 't', ref: 'main' } }),
  'a deleted tag': (made) => app.delete(`${made.path}/tags/v1`, token(made)),
};

/** Everything that may take the right to do so away. */
const LOSSES: Record<string, (made: Scene) => Promise<unknown>> = {
  'the ref is protected': async ({ project }) => {
    const maintainers = { name: '*', push_access_level: 40, merge_access_level: 40 };
    expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: maintainers }), 201);
    const tags = { name: '*', create_access_level: 40 };
    expectStatus(await app.post(`/projects/${project.id}/protected_tags`, { json: tags }), 201);
  },
  'the level is lowered': async ({ project, developer }) => {
    const path = `/projects/${project.id}/members/${developer.user.id}`;
    expectStatus(await app.put(path, { json: { access_level: 20 } }), 200);
  },
  'the member is removed': async ({ project, developer }) =>
    expectStatus(await app.delete(`/projects/${project.id}/members/${developer.user.id}`), 204),
  'the user is blocked': async ({ developer }) =>
    expectStatus(await app.post(`/users/${developer.user.id}/block`), 201),
  'the token is revoked': async ({ developer }) =>
    app.deps.db.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', '=', developer.user.id).execute(),
  'the project is archived': async ({ project }) =>
    expectStatus(await app.post(`/projects/${project.id}/archive`), 201),
  'the project is deleted': async ({ project }) => expectStatus(await app.delete(`/projects/${project.id}`), 202),
};

for (const [loss, lose] of Object.entries(LOSSES)) {
  describe(`while a write waits for its turn, ${loss}:`, () => {
    for (const [name, write] of Object.entries(WRITES)) {
      test(`${name} is refused`, async () => {
        const made = await scene();
        const before = refsOf(made);
        meanwhile(app, () => lose(made));
        const { statusCode, body } = await write(made);
        assert.ok([400, 401, 403, 404].includes(statusCode), `${statusCode} ${body}`);
        assert.equal(refsOf(made), before);
        assert.deepEqual(await app.deps.db.selectFrom('ref_intents').selectAll().execute(), []);
      });
    }
  });
}

for (const [loss, lose] of Object.entries(LOSSES)) {
  test(`a push is refused when ${loss} after its objects were taken`, async (t) => {
    const made = await scene();
    const dir = mkdtempSync(join(tmpdir(), 'stithy-races-'));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const remote = cloneUrl(url, made.project.full_path, made.developer.token);
    await mustGit(dir, ['clone', '--quiet', '--branch', 'work', remote, 'clone']);
    const clone = join(dir, 'clone');
    await mustGit(clone, ['commit', '--quiet', '--allow-empty', '--message', 'more']);
    const before = refsOf(made);
    meanwhile(app, () => lose(made));
    const { code, stderr } = await runGitClient(clone, [
      'push',
      'origin',
      'HEAD:work',
      'HEAD:other',
      'HEAD:refs/tags/t',
    ]);
    assert.notEqual(code, 0, stderr);
    assert.match(stderr, /remote rejected/);
    assert.equal(refsOf(made), before);
  });
}

test('a forced push is refused when the branch is protected from it after its objects were taken', async (t) => {
  const made = await scene();
  const { project, git } = made;
  const maintainer = await app.make.user();
  await app.make.member({ project }, maintainer.user, 40);
  const dir = mkdtempSync(join(tmpdir(), 'stithy-races-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await mustGit(dir, ['clone', '--quiet', cloneUrl(url, project.full_path, maintainer.token), 'clone']);
  const before = git.run(['rev-parse', 'work']);
  const protect = () =>
    app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'work', push_access_level: 40 } });
  meanwhile(app, protect);
  const push = () => runGitClient(join(dir, 'clone'), ['push', '--force', 'origin', 'origin/side:refs/heads/work']);
  const first = await push();
  assert.match(first.stderr, /protected meanwhile/);
  assert.equal(git.run(['rev-parse', 'work']), before);
  assert.match((await push()).stderr, /not allowed to force push/);
});

test('a commit does not start from a project that is closed to its author meanwhile', async () => {
  const made = await scene();
  const root = made.project.id;
  const columns = { forked_from_id: root, fork_root_id: root };
  const fork = await app.make.project({ columns });
  const forkGit = new ProjectGit(app, fork);
  forkGit.commit('hidden', { secret: 'x' });
  await app.make.member({ project: fork }, made.developer.user, 20);
  meanwhile(app, async () =>
    expectStatus(await app.delete(`/projects/${fork.id}/members/${made.developer.user.id}`), 204),
  );
  const json = { branch: 'new', commit_message: 'x', start_branch: 'hidden', start_project: fork.id, actions: [] };
  const answer = await app.post(`${made.path}/commits`, { ...token(made), json: { ...json, allow_empty: true } });
  expectStatus(answer, 404);
  assert.throws(() => made.git.run(['cat-file', '-e', forkGit.run(['rev-parse', 'hidden'])]));
});
