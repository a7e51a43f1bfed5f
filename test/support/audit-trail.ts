import assert from 'node:assert/strict';
import { expectStatus, type TestApp } from './app.ts';

export interface AuditJson {
  id: number;
  author_id: number;
  entity_id: number;
  entity_type: string;
  event_name: string;
  details: Record<string, string | number | boolean | null>;
  created_at: string;
}

/** What some work left in the audit events of the server, the oldest first. */
export async function auditOf(app: TestApp, work: () => Promise<unknown>): Promise<AuditJson[]> {
  const { last } = await app.deps.db
    .selectFrom('audit_events')
    .select(({ fn }) => fn.max<number | null>('id').as('last'))
    .executeTakeFirstOrThrow();
  await work();
  const listed = expectStatus<AuditJson[]>(await app.get('/audit_events', { query: { per_page: 100 } }), 200);
  return listed.filter(({ id }) => id > Number(last ?? 0)).sort((a, b) => a.id - b.id);
}

/** The one event that some work left. */
export async function oneAuditOf(app: TestApp, work: () => Promise<unknown>): Promise<AuditJson> {
  const events = await auditOf(app, work);
  assert.equal(events.length, 1, JSON.stringify(events.map(({ event_name }) => event_name)));
  return events[0]!;
}

/** Of events what tells them apart: name, entity, target and what happened. */
export const gist = ({ event_name, entity_type, entity_id, details }: AuditJson) => ({
  event: event_name,
  on: `${entity_type} ${entity_id}`,
  target: `${details.target_type} ${details.target_details}`,
  message: details.custom_message,
});

/** Sends a request that has to succeed, and says what it answers and the one event that it leaves. */
export async function auditedRequest(
  app: TestApp,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  json?: object,
  token?: string,
): Promise<{ made: Record<string, unknown>; event: AuditJson; gist: ReturnType<typeof gist> }> {
  let made: Record<string, unknown> = {};
  const event = await oneAuditOf(app, async () => {
    const options = { ...(json === undefined ? {} : { json }), ...(token === undefined ? {} : { token }) };
    const answer = await app.request(method, path, options);
    assert.ok(answer.statusCode < 300, answer.body);
    if (answer.body !== '') made = answer.json<Record<string, unknown>>();
  });
  return { made, event, gist: gist(event) };
}
