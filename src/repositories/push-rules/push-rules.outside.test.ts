import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildTestApp, expectStatus } from '../../../test/support/app.ts';
import { GitUser } from '../../../test/support/git-user.ts';
import { lfsContent, putLfs } from '../../../test/support/lfs.ts';
import { MirrorPair } from '../../../test/support/mirrors.ts';
import { noSsh, SshPlace } from '../../../test/support/ssh-user.ts';

test('what a pull mirror brings is held to no push rule', async () => {
  const app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  try {
    const pair = await MirrorPair.make(app);
    pair.from.commit('main', { id_rsa: 'x' }, { message: 'bad' });
    const json = { commit_message_regex: 'good', prevent_secrets: true, branch_name_regex: '^f/' };
    expectStatus(await app.post(`/projects/${pair.copy.id}/push_rule`, { json }), 201);
    await pair.follow();
    assert.equal(pair.to.run(['rev-parse', 'main']), pair.from.run(['rev-parse', 'main']));
  } finally {
    await app.close();
  }
});

test('on a server whose plan has no push rules those that are there are not in force', async () => {
  const app = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  const git = await GitUser.of(app);
  try {
    const project = await app.make.project();
    const now = new Date().toISOString();
    const rule = { project_id: project.id, namespace_id: null, commit_message_regex: 'never' };
    await app.deps.db
      .insertInto('push_rules')
      .values({ ...rule, created_at: now, updated_at: now })
      .execute();
    expectStatus(await app.get(`/projects/${project.id}/push_rule`), 403);
    const dir = await git.tree();
    await git.ok(dir, 'push', git.address(project), 'main');
  } finally {
    await app.close();
  }
});

test('files in Git LFS may be larger than the rule allows: what counts is their pointer', async () => {
  const app = await buildTestApp();
  const git = await GitUser.of(app);
  try {
    const project = await app.make.project();
    expectStatus(await app.post(`/projects/${project.id}/push_rule`, { json: { max_file_size: 1 } }), 201);
    const large = lfsContent('x'.repeat(3 * 1024 * 1024));
    await putLfs(app, project, large);
    const dir = await git.tree();
    await git.commit(dir, 'large.bin', large.text);
    await git.ok(dir, 'push', git.address(project), 'main');
    await git.commit(dir, 'large.bin', large.content);
    assert.match(await git.fails(dir, 'push', git.address(project), 'main'), /File 'large\.bin' is larger than/);
  } finally {
    await app.close();
  }
});

describe('over SSH', { skip: noSsh }, () => {
  test('a push is held to the rule of a group as one over HTTP is, with the same words', async () => {
    const app = await buildTestApp();
    const place = await SshPlace.of(app);
    try {
      const group = await app.make.group();
      const project = await app.make.project({ namespace: group });
      const { maintainer } = await app.make.members(project);
      const key = await place.keyOf(maintainer);
      const json = { commit_message_regex: 'JIRA', deny_delete_tag: true, commit_committer_check: true };
      expectStatus(await app.post(`/groups/${group.id}/push_rule`, { json }), 201);
      const dir = await place.git.tree();
      const to = [...place.with(key), 'push', '--force', place.address(project)];
      const output = await place.git.fails(dir, ...to, 'main');
      assert.match(output, /remote: Stithy: Commit message does not follow the pattern 'JIRA'/);
      await place.git.ok(dir, 'commit', '--quiet', '--amend', '--message', 'JIRA-1');
      assert.match(await place.git.fails(dir, ...to, 'main'), /You cannot push commits for 'ada@example\.com'/);
      const { id } = maintainer.user;
      await app.deps.db.updateTable('users').set({ email: 'ada@example.com' }).where('id', '=', id).execute();
      await place.git.ok(dir, ...to, 'main', 'main:refs/tags/v1');
      assert.match(await place.git.fails(dir, ...to, ':refs/tags/v1'), /remote: Stithy: You cannot delete a tag/);
    } finally {
      place.close();
      await app.close();
    }
  });
});
