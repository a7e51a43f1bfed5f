import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { holdJob } from '../../test/support/artifacts.ts';
import { GitUser } from '../../test/support/git-user.ts';
import { meanwhile } from '../../test/support/meanwhile.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';

let app: TestApp;
let user: GitUser;
let group: Namespace;
let project: Project;
const tokens: Record<string, string> = {};
before(async () => {
  app = await buildTestApp();
  user = await GitUser.of(app);
  group = await app.make.group();
  project = await app.make.project({ namespace: group });
  for (const [role, level] of Object.entries({ guest: 10, planner: 15, reporter: 20, developer: 30 })) {
    const made = await app.make.user();
    await app.make.member({ group }, made.user, level);
    tokens[role] = made.token;
  }
  tokens.stranger = (await app.make.user()).token;
});
after(() => app.close());

const wikiOf = ({ full_path }: { full_path: string }) => ({ full_path: `${full_path}.wiki` });
const address = (place: { full_path: string }, role?: string) =>
  role === undefined ? user.address(wikiOf(place)) : user.address(wikiOf(place), tokens[role]);
let clones = 0;
async function clone(place: { full_path: string }, role?: string): Promise<string> {
  clones += 1;
  const dir = join(user.folder, `clone-${clones}`);
  await user.ok(user.folder, 'clone', '--quiet', address(place, role), dir);
  return dir;
}
const api = (place: Project | Namespace) => `/${'namespace_id' in place ? 'projects' : 'groups'}/${place.id}/wikis`;
const slugs = async (place: Project | Namespace) =>
  expectStatus<{ slug: string }[]>(await app.get(api(place)), 200).map(({ slug }) => slug);

for (const kind of ['project', 'group'] as const) {
  const place = () => (kind === 'project' ? project : group);

  describe(`the wiki of a ${kind}`, () => {
    test('is cloned while it is empty, and takes what is pushed', async () => {
      const dir = await clone(place(), 'developer');
      assert.match(await user.ok(dir, 'status'), /No commits yet on main|On branch main/i);
      await user.commit(dir, 'home.md', '# Home\n');
      await user.commit(dir, 'Guides/First-steps.md', 'One\n');
      await user.ok(dir, 'push', '--quiet', 'origin', 'main');
      assert.deepEqual(await slugs(place()), ['Guides/First-steps', 'home']);
    });

    test('and the API give each other their changes', async () => {
      const dir = await clone(place(), 'developer');
      expectStatus(await app.put(`${api(place())}/home`, { json: { content: 'New\n' } }), 200);
      assert.match(await user.ok(dir, 'pull'), /home\.md/);
      rmSync(join(dir, 'home.md'));
      symlinkSync('/etc/passwd', join(dir, 'link.md'));
      await user.commit(dir, 'other.md', 'x');
      await user.ok(dir, 'push', '--quiet');
      assert.deepEqual(await slugs(place()), ['Guides/First-steps', 'other']);
      expectStatus(await app.get(`${api(place())}/link`), 404);
    });

    test('is read from Planners and Reporters on, and written by Planners and Developers', async () => {
      const dir = await user.tree();
      for (const role of ['planner', 'reporter', 'developer']) await user.ok(dir, 'ls-remote', address(place(), role));
      assert.match(await user.fails(dir, 'ls-remote', address(place(), 'guest')), /not allowed to download this wiki/);
      assert.match(await user.fails(dir, 'ls-remote', address(place(), 'stranger')), /could not be found/);
      for (const role of ['planner', 'developer']) {
        await user.ok(dir, 'push', '--quiet', address(place(), role), `HEAD:refs/heads/by-${role}`);
      }
      assert.match(
        await user.fails(dir, 'push', address(place(), 'reporter'), 'HEAD:x'),
        new RegExp(`not allowed to write to this ${kind}'s wiki`),
      );
    });

    test('keeps its default branch, and takes no refs of the server', async () => {
      const dir = await clone(place());
      assert.match(await user.fails(dir, 'push', 'origin', ':main'), /default branch of a wiki cannot be deleted/);
      assert.match(await user.fails(dir, 'push', 'origin', 'HEAD:refs/pipelines/1'), /reserved for the server/);
      assert.match(
        await user.fails(dir, 'push', 'origin', `HEAD:refs/heads/${'a'.repeat(40)}`),
        /SHA-1 or SHA-256 branch name/,
      );
      await user.ok(dir, 'push', '--quiet', 'origin', 'HEAD:refs/heads/side', 'HEAD:refs/tags/v1');
      await user.ok(dir, 'push', '--quiet', 'origin', ':side');
    });
  });
}

test('a wiki that is closed, and one of a project that stands still', async () => {
  const own = await app.make.project({ namespace: group });
  const dir = await user.tree();
  await user.ok(dir, 'push', '--quiet', address(own), 'main');
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', own.id).execute();
  await user.ok(dir, 'ls-remote', address(own));
  assert.match(await user.fails(dir, 'push', address(own), 'main:x'), /not allowed to write/);
  await app.deps.db
    .updateTable('projects')
    .set({ archived: 0, wiki_access_level: 'disabled' })
    .where('id', '=', own.id)
    .execute();
  assert.match(await user.fails(dir, 'ls-remote', address(own)), /not allowed to download this wiki/);
  await app.deps.db
    .updateTable('projects')
    .set({ visibility: 'public', wiki_access_level: 'enabled' })
    .where('id', '=', own.id)
    .execute();
  await user.ok(dir, 'ls-remote', address(own, 'stranger'));
  assert.match(await user.fails(dir, 'push', address(own, 'stranger'), 'main:x'), /not allowed to write/);
});

test('a wiki that is for the members of a public project or group', async () => {
  const open = await app.make.group({ visibility: 'public' });
  const own = await app.make.project({ namespace: open, visibility: 'public' });
  const json = { wiki_access_level: 'private' };
  expectStatus(await app.put(`/projects/${own.id}`, { json }), 200);
  expectStatus(await app.put(`/groups/${open.id}`, { json }), 200);
  const dir = await user.tree();
  for (const place of [own, open]) {
    assert.match(await user.fails(dir, 'ls-remote', address(place, 'stranger')), /not allowed to download this wiki/);
  }
});

test('a wiki is found where its project or group was before', async () => {
  const own = await app.make.group();
  const inside = await app.make.project({ namespace: own });
  const dir = await user.tree();
  await user.ok(dir, 'push', '--quiet', address(inside), 'main');
  await user.ok(dir, 'push', '--quiet', address(own), 'main');
  expectStatus(await app.put(`/groups/${own.id}`, { json: { path: `${own.path}-new` } }), 200);
  for (const place of [own, inside]) assert.match(await user.ok(dir, 'ls-remote', address(place)), /refs\/heads\/main/);
});

test('a push to the wiki of a project that is not there makes no project', async () => {
  const dir = await user.tree();
  const nowhere = { full_path: `${group.full_path}/nowhere` };
  assert.match(await user.fails(dir, 'push', address(nowhere), 'main'), /could not be found/);
  expectStatus(await app.get(`/projects/${encodeURIComponent(`${group.full_path}/nowhere.wiki`)}`), 404);
});

test('who loses the right while the push waits changes nothing', async () => {
  const own = await app.make.project({ namespace: group });
  const { user: ada, token } = await app.make.user();
  await app.make.member({ project: own }, ada, 30);
  const dir = await user.tree();
  const to = user.address(wikiOf(own), token);
  await user.ok(dir, 'push', '--quiet', to, 'main');
  await user.commit(dir, 'home.md', 'x');
  meanwhile(app, () => app.deps.db.deleteFrom('members').where('user_id', '=', ada.id).execute());
  await user.fails(dir, 'push', to, 'main');
  assert.deepEqual(await slugs(own), ['README']);
});

test('a token that only reads does not push, one of a deployment clones', async () => {
  const dir = await user.tree();
  const reader = await app.make.token(1, ['read_repository']);
  const to = user.address(wikiOf(project), reader);
  await user.ok(dir, 'ls-remote', to);
  assert.match(await user.fails(dir, 'push', to, 'main:x'), /lacks the scope write_repository/);
  const json = { name: 'd', scopes: ['read_repository'], username: 'deployer' };
  const made = expectStatus<{ token: string }>(await app.post(`/projects/${project.id}/deploy_tokens`, { json }), 201);
  const deployed = user.address(wikiOf(project), made.token).replace(/\/\/[^:]+:/, '//deployer:');
  await user.ok(dir, 'ls-remote', deployed);
  await user.fails(dir, 'push', deployed, 'main:x');
});

test('wikis have no large files', async () => {
  const answer = await app.instance.server.app.inject({
    method: 'POST',
    url: `/${project.full_path}.wiki.git/info/lfs/objects/batch`,
    headers: { authorization: `Bearer ${tokens.developer}`, 'content-type': 'application/vnd.git-lfs+json' },
    payload: JSON.stringify({ operation: 'download', objects: [] }),
  });
  assert.equal(answer.statusCode, 404);
});

test('a job clones with its token, and pushes nothing', async () => {
  const { token } = await holdJob(app, project, { pipeline: { user_id: 1 } });
  const dir = await user.tree();
  const to = user.address(wikiOf(project), token);
  await user.ok(dir, 'ls-remote', to);
  assert.match(await user.fails(dir, 'push', to, 'main:x'), /not allowed to write|lacks the scope/);
});

test('wikis of groups are a part of paid plans', async () => {
  const before = app.deps.config.plan;
  app.deps.config.plan = 'free';
  try {
    assert.match(await user.fails(user.folder, 'ls-remote', address(group)), /could not be found/);
    await user.ok(user.folder, 'ls-remote', address(project));
  } finally {
    app.deps.config.plan = before;
  }
});

test('a wiki that is being moved is read alone', async () => {
  const own = await app.make.project({ namespace: group });
  const dir = await user.tree();
  await user.ok(dir, 'push', '--quiet', address(own), 'main');
  await app.deps.db.updateTable('wikis').set({ repository_read_only: 1 }).where('project_id', '=', own.id).execute();
  await user.ok(dir, 'ls-remote', address(own));
  assert.match(await user.fails(dir, 'push', address(own), 'main:x'), /temporarily read-only/);
});
