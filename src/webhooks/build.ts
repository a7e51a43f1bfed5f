import { timestamp } from '../core/clock.ts';
import { environmentFaultOf } from '../core/environment-fault.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import type { RecordedEvent } from '../jobs/jobs.events.ts';
import { deliverJob, orderKeyOf } from './deliver.ts';
import { storedPayload } from './stored-payload.ts';
import type { HookMessage, HookSource } from './webhooks.source.ts';

/** Maximum size of a payload, in bytes (part 2, section 6). */
const MAX_PAYLOAD = 25 * 1024 * 1024;
const BATCH_SIZE = 1_000;

/** Attempts to build the payloads of an event; then the event is dropped, so that later ones are delivered. */
const ATTEMPTS = 6;

/**
 * Builds the payloads of an event, once for all hooks, and enqueues their delivery. Idempotent after an interruption.
 * @param attempts number of runs, including this one
 */
export async function build(deps: Deps, source: HookSource, event: RecordedEvent, attempts: number): Promise<void> {
  const { db, log } = deps;
  const messages = await messagesOf(deps, source, event).catch((error: unknown) => {
    if (attempts < ATTEMPTS || environmentFaultOf(error) !== null) throw error;
    log.log('error', 'webhook payloads could not be built; the event is not delivered', {
      event: event.id,
      type: event.type,
      error: String(error),
    });
    return { hook: [], system: [] };
  });
  const rows = (['hook', 'system'] as const).flatMap((scope) => messages[scope].flatMap(rowOf(deps, event, scope)));
  await db.transaction().execute(async (db) => {
    for (let at = 0; at < rows.length; at += BATCH_SIZE) {
      await db
        .insertInto('web_hook_payloads')
        .values(rows.slice(at, at + BATCH_SIZE))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await db.updateTable('web_hook_deliveries').set({ built: 1 }).where('event_id', '=', event.id).execute();
  });
  // After the commit: waiting jobs will see the payloads, running ones may not.
  await wake(deps, event);
}

async function messagesOf(deps: Deps, source: HookSource, event: RecordedEvent) {
  const scopes = await scopesOf(deps.db, event.id);
  return {
    hook: scopes.hook ? await source.hookEventsOf(deps, event) : [],
    system: scopes.system ? await source.systemEventsOf(deps, event) : [],
  };
}

const rowOf = (deps: Deps, event: RecordedEvent, scope: 'hook' | 'system') => (message: HookMessage, at: number) => {
  const payload = JSON.stringify(message.payload);
  if (Buffer.byteLength(payload) > MAX_PAYLOAD) {
    deps.log.log('warn', 'webhook payload too large; the event is not delivered', {
      event: event.id,
      trigger: message.trigger,
    });
    return [];
  }
  return [
    {
      event_id: event.id,
      scope,
      position: at,
      trigger_name: message.trigger,
      header: message.header,
      branch: message.branch ?? null,
      payload: storedPayload(deps, message, payload),
      created_at: timestamp(deps.clock),
    },
  ];
};

/** Which kinds of hooks have deliveries of the event. */
async function scopesOf(db: Db, eventId: number): Promise<{ hook: boolean; system: boolean }> {
  const rows = await db
    .selectFrom('web_hook_deliveries as d')
    .innerJoin('web_hooks as h', 'h.id', 'd.hook_id')
    .select(['h.project_id', 'h.group_id'])
    .distinct()
    .where('d.event_id', '=', eventId)
    .execute();
  const system = rows.filter(({ project_id, group_id }) => project_id === null && group_id === null);
  return { hook: rows.length > system.length, system: system.length > 0 };
}

/** Enqueues jobs for the hooks that wait for the event and have none. */
async function wake({ db, jobs }: Deps, event: RecordedEvent): Promise<void> {
  const rows = await db
    .selectFrom('web_hook_deliveries')
    .select('hook_id')
    .where('event_id', '=', event.id)
    .distinct()
    .execute();
  const keys = rows.map(({ hook_id }) => orderKeyOf(hook_id));
  const waiting = await db
    .selectFrom('jobs')
    .select('order_key')
    .where('order_key', 'in', keys)
    .where('state', 'in', ['waiting', 'held'])
    .execute();
  const known = new Set(waiting.map(({ order_key }) => order_key));
  const news = rows.filter(({ hook_id }) => !known.has(orderKeyOf(hook_id)));
  await jobs.enqueueAll(
    db,
    news.map(({ hook_id }) => deliverJob(hook_id, event.project_id)),
  );
}
