import { RetryLater, retryDelayOf } from '../core/retry-later.ts';
import { parseJson } from '../db/columns.ts';
import type { WebHookDelivery } from '../db/tables/web-hook-deliveries.table.ts';
import type { WebHookPayload } from '../db/tables/web-hook-payloads.table.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/jobs.kinds.ts';
import type { NewJob } from '../jobs/jobs.queue.ts';
import { isSilentMode } from '../settings/silent-mode.ts';
import type { CallRateLimiter } from './call-rate-limiter.ts';
import type { DeliveryLog, DeliveryLogEntry } from './delivery-log.ts';
import { alertStatus, isSystem, recordCall, remainingPause } from './health.ts';
import { LIMITED, limitReached } from './rate.ts';
import { openPayload } from './stored-payload.ts';
import { acceptsBranch } from './webhooks.branch-filter.ts';
import { triggerOfLog, uuidOf } from './webhooks.message.ts';
import { type CallResult, callHook, recordSkippedCall } from './webhooks.send.ts';
import { ALWAYS } from './webhooks.source.ts';

interface Payload {
  hook_id: number;
  /** Project whose share of the lane the job uses. */
  project_id: number | null;
}

/** Job kind: delivers everything that waits for a hook, in order. */
export const DELIVER = jobKind<Payload>('webhook.deliver', { lane: 'hooks' });
/** Job kind for failing hooks, so that those waiting for unresponsive servers do not delay others. */
export const REDELIVER = jobKind<Payload>('webhook.deliver_again', { lane: 'retries' });

/** Time slice of one hook, in milliseconds. */
const SLICE_MS = 2_000;
/** Maximum number of finished calls whose log is not yet written. */
const MAX_OPEN = 100;
/** Deliveries to load at a time. */
const PAGE = 50;
/** First pause after an unreachable receiver, in milliseconds; doubles until the pauses of `health.ts` apply. */
const FIRST_PAUSE_MS = 2_000;
/** Time after which an undelivered event is dropped, in milliseconds. */
export const DELIVERY_WINDOW_MS = 3 * 86_400_000;

/** Log text of a call whose payload cannot be decrypted, for example after the loss of the installation's key. */
const LOST = 'The payload can no longer be decrypted';

/** Shared by the calls of all hooks of a process. */
export interface Dispatcher {
  log: DeliveryLog;
  limiter: CallRateLimiter;
}

/** Jobs of one hook run one at a time, in any process. */
export const orderKeyOf = (hookId: number): string => `webhook:${hookId}`;

/**
 * The delivery job of a hook.
 * @param projectId project whose share of the lane it uses
 * @param failing whether the last call of the hook failed
 */
export const deliverJob = (
  hookId: number,
  projectId: number | null,
  failing = false,
  runAt?: Date,
): NewJob<Payload> => ({
  kind: failing ? REDELIVER : DELIVER,
  payload: { hook_id: hookId, project_id: projectId },
  uniqueKey: hookId,
  orderKey: orderKeyOf(hookId),
  projectId,
  ...(runAt === undefined ? {} : { runAt }),
});

type DeliveryWork = Pick<WebHookDelivery, 'id' | 'event_id' | 'event_uuid' | 'sent' | 'built' | 'created_at'>;

/**
 * Delivers what waits for a hook, and continues later in the lane that fits its state.
 * @param failing whether it is the job of a failing hook
 * @throws RetryLater; the reason of the signal
 */
export async function serveHook(
  deps: Deps,
  dispatcher: Dispatcher,
  { hook_id: id, project_id: projectId }: Payload,
  failing: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { db, jobs, clock } = deps;
  const fails = async () => {
    const hook = await db.selectFrom('web_hooks').select('failures').where('id', '=', id).executeTakeFirst();
    return hook !== undefined && hook.failures > 0;
  };
  const move = (ms: number, to: boolean) =>
    jobs.enqueueAll(db, [deliverJob(id, projectId, to, new Date(clock.now().getTime() + ms))]);
  if (!failing && (await fails())) return move(0, true);
  try {
    await deliverAll(deps, dispatcher, id, signal);
  } catch (error) {
    const ms = retryDelayOf(error);
    if (ms === null) throw error;
    const now = await fails();
    if (now === failing) throw error;
    // A hook that recovered, by a call or a change, has nothing to wait for.
    await move(now ? ms : 0, now);
  }
}

/**
 * Delivers what waits for a hook in order, until nothing is left, its time slice is used up, or the receiver is
 * unreachable, which delays all following deliveries.
 * @throws RetryLater; the reason of the signal
 */
async function deliverAll(
  deps: Deps,
  { log: deliveryLog, limiter }: Dispatcher,
  hookId: number,
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + SLICE_MS;
  const open: Promise<void>[] = [];
  try {
    for (let last = 0; ; ) {
      const page = await waitingFor(deps, hookId, last);
      if (page.length === 0) return;
      for (const delivery of page) {
        if (delivery.built === 0) return;
        await limiter.acquire();
        await deliver(deps, deliveryLog, hookId, delivery, open, signal);
        last = delivery.id;
        if (open.length >= MAX_OPEN) await Promise.all(open.splice(0));
        if (performance.now() > end) throw new RetryLater(0, 'time slice used up');
      }
    }
  } finally {
    await Promise.all(open);
  }
}

const waitingFor = ({ db }: Deps, hookId: number, after: number): Promise<DeliveryWork[]> =>
  db
    .selectFrom('web_hook_deliveries')
    .select(['id', 'event_id', 'event_uuid', 'sent', 'built', 'created_at'])
    .where('hook_id', '=', hookId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();

/** Loads the current hook; undefined if it was deleted. @throws RetryLater while it is paused */
async function readyHook(deps: Deps, hookId: number): Promise<WebHook | undefined> {
  const hook = await deps.db.selectFrom('web_hooks').selectAll().where('id', '=', hookId).executeTakeFirst();
  if (hook === undefined) return undefined;
  const pause = remainingPause(hook, deps.clock.now());
  if (pause > 0) throw new RetryLater(pause, 'the webhook is paused after failures');
  return hook;
}

async function deliver(
  deps: Deps,
  deliveryLog: DeliveryLog,
  hookId: number,
  delivery: DeliveryWork,
  open: Promise<void>[],
  signal: AbortSignal,
): Promise<void> {
  const keep = (log: DeliveryLogEntry['log'], sent: number | null) => {
    const written = deliveryLog.add({ deliveryId: delivery.id, log, sent });
    // Errors are handled where all promises are awaited.
    written.catch(() => {});
    open.push(written);
  };
  let hook = await readyHook(deps, hookId);
  const now = deps.clock.now();
  const late = Date.parse(delivery.created_at) < now.getTime() - DELIVERY_WINDOW_MS;
  const isSuppressed = late || isSilentMode(deps);
  if (hook === undefined || isSuppressed || alertStatus(hook, now) === 'disabled') return keep(null, null);
  const payloads = await payloadsFor(deps, hook, delivery);
  if (payloads.length === 0) return keep(null, null);
  for (const payload of payloads) {
    if (payload !== payloads[0]) hook = await readyHook(deps, hookId);
    if (hook === undefined) return keep(null, null);
    const { outcome, log } = await tell(deps, hook, delivery, payload, signal);
    const answered = outcome !== 'unanswered';
    keep(log, answered && payload === payloads.at(-1) ? null : payload.position + Number(answered));
    if (answered) continue;
    await Promise.all(open.splice(0));
    await pause(deps, hook);
    return keep(null, null);
  }
}

/**
 * Pauses a hook after an unanswered call.
 * @param called the hook at the time of the call
 * @throws RetryLater for the next attempt, immediately if the hook was changed
 */
async function pause(deps: Deps, called: WebHook): Promise<void> {
  const hook = await readyHook(deps, called.id);
  if (hook === undefined || alertStatus(hook, deps.clock.now()) === 'disabled') return;
  if (hook.secrets !== called.secrets) throw new RetryLater(0, 'the webhook was changed in the meantime');
  throw new RetryLater(FIRST_PAUSE_MS * 2 ** Math.max(0, hook.failures - 1), 'the webhook was not reached');
}

/** The payloads of the event that the hook is subscribed to. */
async function payloadsFor({ db }: Deps, hook: WebHook, delivery: DeliveryWork): Promise<WebHookPayload[]> {
  const rows = await db
    .selectFrom('web_hook_payloads')
    .selectAll()
    .where('event_id', '=', delivery.event_id)
    .where('scope', '=', isSystem(hook) ? 'system' : 'hook')
    .where('position', '>=', delivery.sent)
    .orderBy('position')
    .execute();
  const triggers = parseJson<string[]>(hook.triggers);
  return rows.filter(
    ({ trigger_name, branch }) =>
      (trigger_name === ALWAYS || triggers.includes(trigger_name)) && acceptsBranch(hook, branch),
  );
}

/** Delivers one payload to a hook. @throws the reason of the signal */
async function tell(
  deps: Deps,
  hook: WebHook,
  delivery: DeliveryWork,
  { id, header, payload: stored, position }: WebHookPayload,
  signal: AbortSignal,
): Promise<CallResult> {
  const payload = openPayload(deps, stored);
  const message = {
    header,
    trigger: triggerOfLog(header),
    payload: payload ?? '{}',
    payloadId: id,
    eventUuid: delivery.event_uuid,
    idempotencyKey: uuidOf(hook.uuid, delivery.id, delivery.created_at, position),
  };
  if (payload === null) return recordSkippedCall(deps, hook, message, LOST);
  if (await limitReached(deps, hook)) return recordSkippedCall(deps, hook, message, LIMITED);
  const called = await callHook(deps, hook, message, signal);
  const pauses = !isSystem(hook) || called.outcome === 'unanswered';
  await recordCall(deps, deps.db, hook, called.outcome === 'done', pauses);
  return called;
}
