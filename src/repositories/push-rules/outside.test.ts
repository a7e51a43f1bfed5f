import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTestApp, expectStatus } from '../../../test/support/app.ts';
import { GitUser } from '../../../test/support/git-user.ts';
import { MirrorPair } from '../../../test/support/mirrors.ts';

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
    git.close();
    await app.close();
  }
});
