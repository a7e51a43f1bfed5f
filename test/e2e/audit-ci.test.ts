import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Namespace } from '../../src/db/tables/namespaces.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { auditedRequest, auditOf, oneAuditOf } from '../support/audit-trail.ts';

type Json = Record<string, unknown>;
const SERVER = 'Gitlab::Audit::InstanceScope 1';
const SECRET = 'the-value-of-a-secret';
let app: TestApp;
let group: Namespace;
let project: Project;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group({ path: 'tools' });
  project = await app.make.project({ namespace: group, path: 'parser' });
});
after(() => app.close());

/** What a request answers, and the one event of it. */
const audited = (method: Parameters<typeof auditedRequest>[1], path: string, json?: Json) =>
  auditedRequest(app, method, path, json);

test('variables are told of by their key, never by their value', async () => {
  for (const [path, name, type, on] of [
    [`/projects/${project.id}/variables`, 'ci_variable', 'Ci::Variable', `Project ${project.id}`],
    [`/groups/${group.id}/variables`, 'ci_group_variable', 'Ci::GroupVariable', `Group ${group.id}`],
    ['/admin/ci/variables', 'ci_instance_variable', 'Ci::InstanceVariable', SERVER],
  ] as const) {
    const added = await audited('POST', path, { key: 'TOKEN', value: SECRET, protected: true });
    assert.deepEqual(
      [added.event.event_name, added.gist.on, added.gist.target, added.gist.message],
      [`${name}_created`, on, `${type} TOKEN`, 'Added ci variable TOKEN'],
    );
    assert.deepEqual([added.event.details.protected, added.event.details.environment_scope], [true, '*']);
    const changed = await audited('PUT', `${path}/TOKEN`, { value: `${SECRET}2`, protected: false });
    assert.deepEqual([changed.event.event_name, changed.event.details.protected], [`${name}_updated`, false]);
    const removed = await audited('DELETE', `${path}/TOKEN`);
    assert.equal(removed.event.event_name, `${name}_deleted`);
    const nothing = async () => expectStatus(await app.delete(`${path}/TOKEN`), 404);
    assert.deepEqual(await auditOf(app, nothing), []);
  }
  const rows = await app.deps.db.selectFrom('audit_events').select('details').execute();
  assert.ok(rows.every(({ details }) => !details.includes(SECRET)));
});

test('a variable that is one too many is told of to nobody', async () => {
  const twice = async () => {
    await app.post(`/projects/${project.id}/variables`, { json: { key: 'A', value: '1' } });
    expectStatus(await app.post(`/projects/${project.id}/variables`, { json: { key: 'A', value: '1' } }), 400);
  };
  assert.equal((await auditOf(app, twice)).length, 1);
});

test('pipeline triggers are told of by their description', async () => {
  const path = `/projects/${project.id}/triggers`;
  const { made, ...added } = await audited('POST', path, { description: 'nightly' });
  assert.deepEqual(
    [added.event.event_name, added.gist.on, added.gist.target],
    ['pipeline_trigger_created', `Project ${project.id}`, 'Ci::Trigger nightly'],
  );
  assert.ok(!JSON.stringify(added.event).includes(String(made.token)));
  const changed = await audited('PUT', `${path}/${made.id}`, { description: 'weekly' });
  assert.deepEqual([changed.event.event_name, changed.gist.target], ['pipeline_trigger_updated', 'Ci::Trigger weekly']);
  assert.equal((await audited('DELETE', `${path}/${made.id}`)).event.event_name, 'pipeline_trigger_deleted');
});

test('who may come in with job tokens is told of', async () => {
  const path = `/projects/${project.id}/job_token_scope`;
  const other = await app.make.project({ namespace: group, path: 'lexer' });
  for (const [list, json, what, on] of [
    ['allowlist', { target_project_id: other.id }, 'Project', 'tools/lexer'],
    ['groups_allowlist', { target_group_id: group.id }, 'Group', 'tools'],
  ] as const) {
    const added = await audited('POST', `${path}/${list}`, json);
    assert.deepEqual(
      [added.event.event_name, added.gist.target, added.gist.message],
      [
        `secure_ci_job_token_${what.toLowerCase()}_added`,
        `${what} ${on}`,
        `${what} ${on} was added to inbound list of the job token scope`,
      ],
    );
    const id = Object.values(json)[0];
    const removed = await audited('DELETE', `${path}/${list}/${id}`);
    assert.equal(removed.event.event_name, `secure_ci_job_token_${what.toLowerCase()}_removed`);
  }
  const open = await audited('PATCH', path, { enabled: false });
  assert.equal(open.event.event_name, 'secure_ci_job_token_inbound_disabled');
  assert.deepEqual(await auditOf(app, () => app.request('PATCH', path, { json: { enabled: false } })), []);
  const closed = await audited('PATCH', path, { enabled: true });
  assert.equal(closed.event.event_name, 'secure_ci_job_token_inbound_enabled');
});

test('runners are told of where they work, from their making to their end', async () => {
  for (const [json, on] of [
    [{ runner_type: 'instance_type' }, SERVER],
    [{ runner_type: 'group_type', group_id: group.id }, `Group ${group.id}`],
    [{ runner_type: 'project_type', project_id: project.id }, `Project ${project.id}`],
  ] as const) {
    const { made, ...added } = await audited('POST', '/user/runners', { ...json, description: 'big' });
    assert.deepEqual(
      [added.event.event_name, added.gist.on, added.gist.target],
      ['ci_runner_created', on, 'Ci::Runner big'],
    );
    assert.ok(!JSON.stringify(added.event).includes(String(made.token)));
    const paused = await audited('PUT', `/runners/${made.id}`, { paused: true });
    assert.deepEqual([paused.event.event_name, paused.event.details.change], ['ci_runner_updated', 'paused']);
    const reset = await audited('POST', `/runners/${made.id}/reset_authentication_token`);
    assert.deepEqual([reset.event.event_name, reset.gist.on], ['ci_runner_token_reset', on]);
    assert.ok(!JSON.stringify(reset.event).includes(String(reset.made.token)));
    const gone = await audited('DELETE', `/runners/${made.id}`);
    assert.deepEqual([gone.event.event_name, gone.gist.on], ['ci_runner_unregistered', on]);
  }
});

test('a runner that comes to a project and leaves it is told of there', async () => {
  const other = await app.make.project();
  const json = { runner_type: 'project_type', project_id: project.id };
  const { made } = await audited('POST', '/user/runners', json);
  const on = `Project ${other.id}`;
  const came = await audited('POST', `/projects/${other.id}/runners`, { runner_id: made.id });
  assert.deepEqual([came.event.event_name, came.gist.on], ['ci_runner_assigned_to_project', on]);
  const left = await audited('DELETE', `/projects/${other.id}/runners/${made.id}`);
  assert.deepEqual([left.event.event_name, left.gist.on], ['ci_runner_unassigned_from_project', on]);
});

test('a runner that registers by a token is told of as by nobody, and so is its end', async () => {
  const { made: reset, event } = await audited('POST', `/projects/${project.id}/runners/reset_registration_token`);
  assert.equal(event.event_name, 'ci_runner_registration_token_reset');
  let token = '';
  const registered = await oneAuditOf(app, async () => {
    const answer = await app.post('/runners', { token: null, json: { token: reset.token } });
    token = expectStatus<{ token: string }>(answer, 201).token;
  });
  assert.deepEqual(
    [registered.event_name, registered.author_id, registered.details.author_name, registered.entity_id],
    ['ci_runner_registered', -1, 'An unauthenticated user', project.id],
  );
  const gone = await oneAuditOf(app, async () =>
    expectStatus(await app.delete('/runners', { token: null, json: { token } }), 204),
  );
  assert.equal(gone.event_name, 'ci_runner_unregistered');
});
