import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { TestIssuable } from '../../../../test/support/quick-actions.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let people: Awaited<ReturnType<TestApp['make']['members']>>;
let other: number;
let head: string;
/** What they take away or change is there. */
const FILLED = '/label ~bug\n/assign me\n/milestone %"v 1"\n/estimate 2h\n/spend 1h';
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  people = await app.make.members(project);
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n' });
  git.commit('target', { 'c.txt': 'c\n' }, { start: base });
  head = git.commit('side', { 'b.txt': 'b\n' }, { start: base });
  const place = `/projects/${project.id}`;
  expectStatus(await app.post(`${place}/labels`, { json: { name: 'bug', color: '#ff0000' } }), 201);
  expectStatus(await app.post(`${place}/milestones`, { json: { title: 'v 1' } }), 201);
  other = await open();
  expectStatus(await new TestIssuable(app, `${place}/issues/${other}`).say('/label ~bug'), 202);
});
after(() => app.close());

async function open(): Promise<number> {
  const made = await app.post(`/projects/${project.id}/issues`, { json: { title: 'Leak' } });
  return expectStatus<{ iid: number }>(made, 201).iid;
}

/** What there is for issues and merge requests. */
const BOTH = [
  'close',
  'title New',
  'lock',
  'label ~bug',
  'unlabel',
  'relabel ~bug',
  'assign me',
  'unassign',
  'reassign me',
].concat(['milestone %"v 1"', 'remove_milestone', 'estimate 1h', 'remove_estimate', 'spend 1h', 'remove_time_spent']);

describe('a guest who may only comment on an issue', () => {
  for (const line of [
    ...BOTH,
    ...['due tomorrow', 'remove_due_date', 'confidential', 'weight 3', 'clear_weight', 'health_status on_track'],
    ...['clear_health_status', 'promote_to_incident', 'promote_to incident', 'type incident', 'relate #1', 'blocks #1'],
    ...['blocked_by #1', 'duplicate #1', 'copy_metadata #1', 'clone', 'create_merge_request'],
  ]) {
    test(`does not /${line}, as a maintainer does`, async () => {
      const issue = new TestIssuable(app, `/projects/${project.id}/issues/${await open()}`);
      expectStatus(await issue.say(`${FILLED}\n/weight 5\n/health_status at_risk\n/due 2030-01-01`), 202);
      const text = `/${line.replace('#1', `#${other}`)}`;
      const [name] = line.split(' ');
      assert.equal(await issue.summaryOf(text, people.guest), `Could not apply ${name} command.`);
      assert.doesNotMatch(await issue.summaryOf(text, people.maintainer), /Could not apply/);
    });
  }
});

test('nor does a guest set the severity of an incident, or take a link away', async () => {
  const issue = new TestIssuable(app, `/projects/${project.id}/issues/${await open()}`);
  expectStatus(await issue.say(`/promote_to_incident\n/relate #${other}`), 202);
  const text = `/severity S1\n/unlink #${other}`;
  assert.equal(
    await issue.summaryOf(text, people.guest),
    'Could not apply severity command. Could not apply unlink command.',
  );
  assert.doesNotMatch(await issue.summaryOf(text, people.maintainer), /Could not apply/);
});

describe('a reporter who may only comment on a merge request', () => {
  for (const line of [
    ...BOTH,
    ...['draft', 'ready', 'target_branch target', 'merge', 'rebase', 'assign_reviewer me', 'request_review me'],
    ...['reassign_reviewer me', 'unassign_reviewer', 'approve'],
  ]) {
    test(`does not /${line}, as a maintainer does`, async () => {
      const row = await makeMergeRequest(app, project, { source_branch: 'side' });
      const request = new TestIssuable(app, `/projects/${project.id}/merge_requests/${row.iid}`);
      expectStatus(await request.say(`${FILLED}\n/reviewer me`), 202);
      const seen = { merge_request_diff_head_sha: head };
      const [name] = line.split(' ');
      assert.equal(await request.summaryOf(`/${line}`, people.reporter, seen), `Could not apply ${name} command.`);
      assert.doesNotMatch(await request.summaryOf(`/${line}`, people.maintainer, seen), /Could not apply/);
      await app.deps.db.deleteFrom('merge_requests').where('id', '=', row.id).execute();
    });
  }
});
