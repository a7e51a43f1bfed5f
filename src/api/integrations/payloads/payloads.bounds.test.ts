import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { isOfTheCall } from '../../../../test/support/statements.ts';
import { isEventKind } from '../../../core/core.domain-events.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { hookSource } from './hook-events.ts';

let app: TestApp;
let seen: string[] | null = null;
/** Set while payloads are built: background work, such as counting lines, also starts processes. */
const building = new AsyncLocalStorage<true>();
before(async () => {
  app = await buildTestApp({ onQuery: ({ sql }) => isOfTheCall(sql) && seen?.push(sql) });
});
after(() => app.close());

async function lastEvent(type: string): Promise<RecordedEvent> {
  const row = await app.deps.db
    .selectFrom('domain_events')
    .selectAll()
    .where('type', '=', type)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  assert.ok(isEventKind(row.type));
  return { ...row, type: row.type, payload: JSON.parse(row.payload) };
}

/**
 * Number of queries for building the payloads of the last event of a kind, and of processes once git is warm, after all
 * follow-up work is done.
 */
async function costOf(type: string) {
  await app.drain();
  const event = await lastEvent(type);
  const first = await hookSource.hookEventsOf(app.deps, event);
  assert.equal(first.length, 1);
  let processes = 0;
  const count = () => {
    if (building.getStore()) processes += 1;
  };
  subscribe('child_process', count);
  // A commit, so that nothing is cached from the first run.
  await app.deps.db.updateTable('users').set({ updated_at: new Date().toISOString() }).where('id', '=', 1).execute();
  seen = [];
  const again = await building.run(true, () => hookSource.hookEventsOf(app.deps, event));
  const statements = seen.length;
  seen = null;
  unsubscribe('child_process', count);
  assert.deepEqual(again, first);
  assert.equal(processes, 0, `${type} starts processes`);
  return statements;
}

const names = (many: number, prefix: string) => Array.from({ length: many }, (_, at) => `${prefix}${at}`);

/** A project with many objects of each kind; the number of queries for its payloads, by kind. */
async function costs(many: number): Promise<Record<string, number>> {
  const project = await app.make.project();
  const path = `/projects/${project.id}`;
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'a' });
  const labels = names(many, 'label');
  const users: number[] = [];
  for (let at = 0; at < many; at += 1) {
    const { user } = await app.make.user();
    await app.make.member({ project }, user, 30);
    users.push(user.id);
  }
  const people = { assignee_ids: users, reviewer_ids: users, labels: labels.join() };
  const costByEvent: Record<string, number> = {};
  const files = Object.fromEntries(names(many, 'f').map((path) => [path, 'x']));
  await commitFiles(app, project.id, files, { branch: 'side', start_branch: 'main' });
  costByEvent.push = await costOf('push');
  const request = { title: 'One', source_branch: 'side', target_branch: 'main', ...people };
  expectStatus(await app.post(`${path}/merge_requests`, { json: request }), 201);
  costByEvent.merge_request = await costOf('merge_request.created');
  expectStatus(await app.post(`${path}/issues`, { json: { title: 'One', ...people } }), 201);
  costByEvent.issue = await costOf('issue.created');
  for (const on of ['issues', 'merge_requests']) {
    expectStatus(await app.post(`${path}/${on}/1/notes`, { json: { body: 'Hello' } }), 201);
    costByEvent[`note on ${on}`] = await costOf('note.created');
  }
  const jobs = labels.map((name) => ({ name, status: 'success' as const, columns: { environment: name } }));
  const { pipeline } = await makePipeline(app, project, { jobs, columns: { sha: base } });
  const at = { pipeline_id: pipeline.id, project_id: project.id };
  const event = { ...at, source: 'push', status: 'success', old_status: null };
  await app.deps.events.record(app.deps.db, 'pipeline.updated', event, { projectId: project.id });
  costByEvent.pipeline = await costOf('pipeline.updated');
  return costByEvent;
}

test('messages take a bounded number of statements however much there is to tell, and no process', async () => {
  const few = await costs(1);
  const many = await costs(30);
  assert.deepEqual(many, few);
  for (const [kind, statements] of Object.entries(few)) assert.ok(statements <= 30, `${kind}: ${statements}`);
});

test('what may be told is known without asking anybody', async () => {
  const rows = await app.deps.db.selectFrom('domain_events').selectAll().execute();
  seen = [];
  const kinds = new Set<string>();
  for (const row of rows) {
    assert.ok(isEventKind(row.type));
    const event: RecordedEvent = { ...row, type: row.type, payload: JSON.parse(row.payload) };
    const triggers = [...hookSource.triggersOf(event), ...hookSource.systemTriggersOf(event)];
    if (triggers.length > 0) kinds.add(row.type);
  }
  assert.deepEqual(seen, []);
  seen = null;
  const known: readonly string[] = hookSource.types;
  assert.ok(kinds.size >= 4 && [...kinds].every((kind) => known.includes(kind)));
});
