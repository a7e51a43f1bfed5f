import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { auditedRequest, auditOf, gist } from '../support/audit-trail.ts';
import { ProjectGit } from '../support/project-git.ts';

const SERVER = 'Gitlab::Audit::InstanceScope 1';
let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_DELETION_DELAY_DAYS: '7' } });
});
after(() => app.close());

type Method = Parameters<typeof auditedRequest>[1];
const audited = (method: Method, path: string, json?: object) => auditedRequest(app, method, path, json);
/** The names of the events that a request leaves, and what they say. */
const names = async (method: Method, path: string, json?: object) => {
  const events = await auditOf(app, async () => {
    const answer = await app.request(method, path, json === undefined ? {} : { json });
    assert.ok(answer.statusCode < 300, answer.body);
  });
  return events.map(({ event_name, details }) => [event_name, details.custom_message]);
};

test('a project is told of from its making to its end', async () => {
  const group = await app.make.group({ path: 'tools' });
  const other = await app.make.group({ path: 'attic' });
  const {
    made,
    event,
    gist: added,
  } = await audited('POST', '/projects', { name: 'Parser', path: 'parser', namespace_id: group.id });
  const on = `Project ${made.id}`;
  const path = `/projects/${made.id}`;
  assert.deepEqual(added, { event: 'project_created', on, target: 'Project tools/parser', message: 'Added project' });
  assert.deepEqual([event.author_id, event.details.add], [1, 'project']);
  assert.deepEqual(await names('POST', `${path}/archive`), [['project_archived', 'Project archived']]);
  assert.deepEqual(await names('POST', `${path}/archive`), []);
  assert.deepEqual(await names('POST', `${path}/unarchive`), [['project_unarchived', 'Project unarchived']]);
  assert.deepEqual(await names('PUT', `${path}/transfer`, { namespace: other.id }), [
    ['project_namespace_updated', 'Changed namespace from tools/parser to attic/parser'],
  ]);
  assert.deepEqual(await names('DELETE', path), [['project_deletion_marked', 'Project marked for deletion']]);
  assert.deepEqual(await names('POST', `${path}/restore`), [['project_restored', 'Project restored']]);
  await app.delete(path);
  const { path_with_namespace: now } = (await app.get(path)).json<{ path_with_namespace: string }>();
  const gone = await audited('DELETE', `${path}?permanently_remove=true&full_path=${encodeURIComponent(now)}`);
  assert.deepEqual(
    [gone.gist.event, gone.gist.on, gone.gist.message],
    ['project_destroyed', `Group ${other.id}`, 'Project destroyed'],
  );
  assert.equal(gone.event.details.target_id, made.id);
});

test('of the settings of a project is told what was changed, and nothing else', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}`;
  const json = {
    visibility: 'public',
    wiki_access_level: 'disabled',
    only_allow_merge_if_pipeline_succeeds: true,
    squash_option: 'always',
    merge_method: 'ff',
    description: 'Only told to readers',
  };
  assert.deepEqual((await names('PUT', path, json)).sort(), [
    ['project_feature_wiki_access_level_updated', 'Changed wiki access level from enabled to disabled'],
    ['project_merge_method_updated', 'Changed merge method from merge to ff'],
    [
      'project_only_allow_merge_if_pipeline_succeeds_updated',
      'Changed only allow merge if pipeline succeeds from false to true',
    ],
    ['project_visibility_level_updated', 'Changed visibility level from private to public'],
    ['squash_option_updated', 'Changed squash option from default_off to always'],
  ]);
  assert.deepEqual(await names('PUT', path, json), []);
  const renamed = await names('PUT', path, { name: 'New name', path: 'new-path' });
  assert.deepEqual(
    renamed.map(([name]) => name),
    ['project_name_updated', 'project_path_updated'],
  );
  const approvals = { merge_requests_author_approval: true, reset_approvals_on_push: false };
  assert.deepEqual((await names('POST', `${path}/approvals`, approvals)).sort(), [
    ['project_merge_requests_author_approval_updated', 'Changed merge requests author approval from false to true'],
    ['project_reset_approvals_on_push_updated', 'Changed reset approvals on push from true to false'],
  ]);
  const refused = async () => expectStatus(await app.put(path, { json: { visibility: 'secret' } }), 400);
  assert.deepEqual(await auditOf(app, refused), []);
});

test('topics of a project are told of when they are others', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}`;
  assert.deepEqual(await names('PUT', path, { topics: ['b', 'a'] }), [
    ['project_topics_updated', 'Changed topics from  to b, a'],
  ]);
  assert.deepEqual(await names('PUT', path, { topics: ['a', 'B'] }), []);
  assert.deepEqual(await names('PUT', path, { topics: [] }), [
    ['project_topics_updated', 'Changed topics from a, b to '],
  ]);
});

test('feature flags of a project are told of from their making to their end', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/feature_flags`;
  const strategies = [{ name: 'default', parameters: {}, scopes: [{ environment_scope: '*' }] }];
  const { gist: added } = await audited('POST', path, { name: 'shiny', version: 'new_version_flag', strategies });
  assert.deepEqual(added, {
    event: 'feature_flag_created',
    on: `Project ${project.id}`,
    target: 'Operations::FeatureFlag shiny',
    message: 'Created feature flag shiny',
  });
  assert.deepEqual(await names('PUT', `${path}/shiny`, { active: false }), [
    ['feature_flag_updated', 'Changed active from true to false'],
  ]);
  const fewer = [{ name: 'userWithId', parameters: { userIds: 'ann' }, scopes: [{ environment_scope: 'prod' }] }];
  assert.deepEqual(await names('PUT', `${path}/shiny`, { strategies: fewer }), [
    ['feature_flag_updated', 'Changed strategies from default (*) to default (*), userWithId {"userIds":"ann"} (prod)'],
  ]);
  assert.deepEqual(await names('PUT', `${path}/shiny`, { active: false }), []);
  assert.deepEqual(await names('DELETE', `${path}/shiny`), [['feature_flag_deleted', 'Deleted feature flag shiny']]);
});

test('the default branch is told of when it is another', async () => {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': '1\n' });
  git.commit('next', { 'b.txt': '1\n' });
  const path = `/projects/${project.id}`;
  assert.deepEqual(await names('PUT', path, { default_branch: 'next' }), [
    ['project_default_branch_updated', 'Changed default branch from main to next'],
  ]);
  assert.deepEqual(await names('PUT', path, { default_branch: 'next' }), []);
});

test('forks are told of to the project that is forked, and when they are none any more', async () => {
  const [group, source] = [await app.make.group(), await app.make.project()];
  const events = await auditOf(app, async () =>
    expectStatus(await app.post(`/projects/${source.id}/fork`, { json: { namespace_id: group.id } }), 201),
  );
  assert.deepEqual(
    events.map((event) => [gist(event).event, event.entity_id === source.id]),
    [
      ['project_created', false],
      ['project_fork_operation', true],
    ],
  );
  await app.drain();
  const fork = events[0]!.entity_id;
  assert.deepEqual(await names('DELETE', `/projects/${fork}/fork`), [
    ['project_fork_relationship_removed', 'Project unlinked from its source'],
  ]);
});

test('a group is told of from its making to its end, with what was in it', async () => {
  const { made, gist: added } = await audited('POST', '/groups', { name: 'Team', path: 'team' });
  const on = `Group ${made.id}`;
  const path = `/groups/${made.id}`;
  assert.deepEqual(added, { event: 'group_created', on, target: 'Group team', message: 'Added group' });
  const json = {
    name: 'Crew',
    visibility: 'public',
    project_creation_level: 'maintainer',
    share_with_group_lock: true,
  };
  assert.deepEqual((await names('PUT', path, json)).sort(), [
    ['group_name_updated', 'Changed name from Team to Crew'],
    ['group_project_creation_level_updated', 'Changed project creation level from developer to maintainer'],
    ['group_shared_with_group_lock_updated', 'Changed share with group lock from false to true'],
    ['group_visibility_level_updated', 'Changed visibility level from private to public'],
  ]);
  assert.deepEqual(await names('PUT', path, json), []);
  const parent = await app.make.group({ path: 'above', visibility: 'public' });
  assert.deepEqual(await names('POST', `${path}/transfer`, { group_id: parent.id }), [
    ['group_namespace_updated', 'Changed namespace from team to above/team'],
  ]);
  assert.deepEqual(await names('DELETE', path), [['group_deletion_marked', 'Group marked for deletion']]);
  assert.deepEqual(await names('POST', `${path}/restore`), [['group_restored', 'Group restored']]);
  await app.make.project({
    namespace: await app.deps.db
      .selectFrom('namespaces')
      .selectAll()
      .where('id', '=', Number(made.id))
      .executeTakeFirstOrThrow(),
  });
  await app.delete(path);
  const { full_path: now } = (await app.get(path)).json<{ full_path: string }>();
  assert.deepEqual(await names('DELETE', `${path}?permanently_remove=true&full_path=${encodeURIComponent(now)}`), [
    ['project_destroyed', 'Project destroyed'],
    ['group_destroyed', 'Group destroyed'],
  ]);
});

test('what the server removes when its days are over is told of as by itself', async () => {
  const { destroyGroup } = await import('../../src/api/spaces/groups/groups.destroy.ts');
  const group = await app.make.group();
  const [event] = await auditOf(app, () => destroyGroup(app.deps, group, null));
  assert.deepEqual([event?.author_id, event?.details.author_name, event?.details.ip_address], [-1, '(System)', null]);
});

test('a user is told of from their making to their end', async () => {
  const account = { email: 'bea@example.org', username: 'bea', name: 'Bea', password: 'a long password 1' };
  const { made, gist: added } = await audited('POST', '/users', account);
  const path = `/users/${made.id}`;
  assert.deepEqual(added, {
    event: 'user_created',
    on: `User ${made.id}`,
    target: 'User Bea',
    message: 'User created',
  });
  const json = { username: 'beatrix', admin: true, external: false, password: 'another password 2', bio: 'x' };
  assert.deepEqual((await names('PUT', path, json)).sort(), [
    ['user_admin_status_updated', 'Changed admin status from false to true'],
    ['user_password_updated', 'Changed password'],
    ['user_username_updated', 'Changed username from bea to beatrix'],
  ]);
  for (const [way, name] of [
    ['block', 'user_blocked'],
    ['unblock', 'unblock_user'],
    ['ban', 'ban_user'],
    ['unban', 'unban_user'],
    ['deactivate', 'user_deactivate'],
    ['activate', 'user_activate'],
  ]) {
    assert.deepEqual(
      (await names('POST', `${path}/${way}`)).map(([each]) => each),
      [name],
    );
  }
  const gone = await audited('DELETE', path);
  await app.drain();
  assert.deepEqual(
    [gone.gist.event, gone.gist.target, gone.event.details.entity_path],
    ['user_destroyed', 'User Bea', 'beatrix'],
  );
  const rows = await app.deps.db.selectFrom('audit_events').select('details').execute();
  assert.ok(rows.every(({ details }) => !/long password|another password/.test(details)));
});

test('settings of the server and limits of its plan are told of one by one, secrets by what stands for them', async () => {
  const settings = { signup_enabled: false, recaptcha_private_key: 'a-very-secret-key' };
  const events = await auditOf(app, async () =>
    expectStatus(await app.put('/application/settings', { json: settings }), 200),
  );
  assert.ok(events.every(({ event_name }) => event_name === 'application_setting_updated'));
  const signup = events.find(({ details }) => details.change === 'signup_enabled')!;
  assert.deepEqual([gist(signup).on, signup.details.to], [SERVER, 'false']);
  assert.doesNotMatch(JSON.stringify(events), /very-secret/);
  assert.deepEqual(await names('PUT', '/application/settings', { recaptcha_private_key: 'another-very-secret-key' }), [
    ['application_setting_updated', 'Changed recaptcha_private_key'],
  ]);
  assert.deepEqual(await names('PUT', '/application/settings', { recaptcha_private_key: '*****' }), []);
  assert.deepEqual(await names('PUT', '/application/settings', { signup_enabled: false }), []);
  const limits = { plan_name: 'default', ci_needs_size_limit: 40 };
  assert.deepEqual(await names('PUT', '/application/plan_limits', limits), [
    ['plan_limits_updated', 'Changed ci_needs_size_limit from 50 to 40'],
  ]);
});
