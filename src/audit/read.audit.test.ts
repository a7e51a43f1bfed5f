import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { oneAuditOf } from '../../test/support/audit-trail.ts';
import { planOf } from '../../test/support/query-plans.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import { type AuditFilters, auditEvents, auditHistory } from './read.audit.ts';
import { project, recordAudit } from './record.audit.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const FLAG = 'Operations::FeatureFlag';

test('the history of an object has what was changed of it, the newest first, and nothing else', async () => {
  const { id } = await app.make.project();
  const record = (flag: number, message: string) =>
    recordAudit(app.deps, app.deps.db, {
      name: 'feature_flag_updated',
      entity: project(id),
      target: { id: flag, type: FLAG, details: 'dark-mode' },
      message,
    });
  await record(7, 'first');
  await record(8, 'of another flag');
  await record(7, 'second');
  await recordAudit(app.deps, app.deps.db, {
    name: 'feature_flag_updated',
    entity: project(id),
    target: { id: 7, type: 'User', details: 'of another type' },
    message: 'of a user',
  });
  const history = await auditHistory(app.deps.db, { type: FLAG, id: 7 }).execute();
  assert.deepEqual(
    history.map(({ details }) => JSON.parse(details).custom_message),
    ['second', 'first'],
  );
});

test('an event without another object is of the history of its entity', async () => {
  const { id } = await app.make.project();
  const { id: event } = await oneAuditOf(app, () => app.put(`/projects/${id}`, { json: { visibility: 'public' } }));
  const history = await auditHistory(app.deps.db, { type: 'Project', id }).execute();
  assert.ok(history.some((row) => row.id === event));
});

test('events of an earlier version get their target', async () => {
  const rows = [
    { target_id: 31, target_type: FLAG },
    { target_id: 'slack', target_type: 'Integration' },
    { target_id: null, target_type: 'Feature' },
  ].map((details) => ({
    author_id: 1,
    entity_type: 'Project' as const,
    entity_id: 1,
    event_name: 'feature_flag_updated',
    details: JSON.stringify({ ...details, custom_message: 'of before \u0000 \ud800' }),
    created_at: '2024-01-01T00:00:00.000Z',
  }));
  const { deps } = app;
  const old = await deps.db.insertInto('audit_events').values(rows).returning(['id', 'target']).execute();
  // More than are read at once, and one far behind the others.
  const more = Array.from({ length: 250 }, () => rows[1]!);
  await deps.db.insertInto('audit_events').values(more).execute();
  old.push(
    await deps.db
      .insertInto('audit_events')
      .values({ ...rows[0]!, id: 2_000_000_000 })
      .returning(['id', 'target'])
      .executeTakeFirstOrThrow(),
  );
  assert.deepEqual(
    old.map(({ target }) => target),
    [null, null, null, null],
  );
  await deps.jobs.enqueue(deps.db, jobKind<object>('audit-events.fill-targets', { lane: 'slow' }), {});
  await app.drain();
  const ids = old.map(({ id }) => id);
  const filled = await deps.db
    .selectFrom('audit_events')
    .select('target')
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    filled.map(({ target }) => target),
    [`${FLAG} 31`, 'Integration slack', null, `${FLAG} 31`],
  );
  assert.equal((await auditHistory(deps.db, { type: FLAG, id: 31 }).execute()).length, 2);
  assert.equal((await auditHistory(deps.db, { type: 'Integration', id: 'slack' }).execute()).length, 251);
});

test('each way to read events uses an index', async () => {
  const after = { value: '2024-01-01T00:00:00.000Z', id: 5 };
  const entity = { entity_type: 'Project', entity_id: 1 } as const;
  const ways: AuditFilters[] = [
    {},
    { after },
    { entity_type: 'Group', created_before: after.value },
    { author_id: 1, created_after: after.value },
    entity,
    { ...entity, author_id: 1, after },
  ];
  const { db } = app.deps;
  const history = auditHistory(db, { type: FLAG, id: 7 });
  for (const query of [...ways.map((filters) => auditEvents(db, filters)), history]) {
    const index = query === history ? 'audit_events_target' : 'audit_events_';
    const plan = (await planOf(app, query.limit(21).compile())).join('\n');
    assert.match(plan, new RegExp(`\\b${index}`), plan);
    assert.doesNotMatch(plan, /Seq Scan|TEMP B-TREE/, plan);
  }
});

test('only this folder queries the table, so that every way to read it is tested here', () => {
  const root = join(import.meta.dirname, '..');
  const reads = /['"`]audit_events['"` ]|\b(?:from|join|into|update)\s+"?audit_events\b/i;
  const others = globSync('**/*.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.test\.ts$|^audit\/|^db\//.test(file) && reads.test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(others, []);
});
