import { randomUUID } from 'node:crypto';
import { timestamp } from '../core/clock.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import { refuseInSilentMode } from '../settings/silent-mode.ts';
import { orderKeyOf } from './deliver.ts';
import { recordCall } from './health.ts';
import { storedPayload } from './stored-payload.ts';
import { triggerOfLog } from './webhooks.message.ts';
import { type CallResult, callHook, type HookDelivery } from './webhooks.send.ts';
import type { HookMessage } from './webhooks.source.ts';

/** Never aborted: a started call is logged even if the client disconnects. */
const never = new AbortController().signal;

/**
 * Calls a hook immediately with a test message, even if it is paused or disabled; success enables it again.
 * @throws ApiError 422 in silent mode
 */
export async function testHook(deps: Deps, hook: WebHook, message: HookMessage): Promise<CallResult> {
  refuseInSilentMode(deps);
  const payload = JSON.stringify(message.payload);
  const { id } = await deps.db
    .insertInto('web_hook_payloads')
    .values({
      event_id: null,
      scope: 'hook',
      position: 0,
      trigger_name: message.trigger,
      header: message.header,
      branch: message.branch ?? null,
      payload: storedPayload(deps, message, payload),
      created_at: timestamp(deps.clock),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return callNow(deps, hook, {
    header: message.header,
    trigger: triggerOfLog(message.header),
    payload,
    payloadId: id,
    eventUuid: randomUUID(),
    idempotencyKey: randomUUID(),
  });
}

/** Calls a hook immediately, and records result and log. @throws ApiError 422 in silent mode */
export async function callNow(deps: Deps, hook: WebHook, delivery: HookDelivery): Promise<CallResult> {
  refuseInSilentMode(deps);
  const called = await callHook(deps, hook, delivery, never);
  await deps.db.transaction().execute(async (db) => {
    const now = await recordCall(deps, db, hook, called.outcome === 'done');
    if (now === undefined) return;
    await db.insertInto('web_hook_logs').values(called.log).execute();
    if (called.outcome === 'done' && hook.failures > 0) await deps.jobs.retryNow(db, orderKeyOf(hook.id));
  });
  if (hook.failures > 0) deps.recent.invalidate();
  return called;
}
