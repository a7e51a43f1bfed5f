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
import { alertStatus, isSystem, pauseLeft, recordCall } from './health.ts';
import { LIMITED, limitReached } from './rate.ts';
import { openPayload } from './stored-payload.ts';
import { takesBranch } from './webhooks.branch-filter.ts';
import { triggerOfLog, uuidOf } from './webhooks.message.ts';
import { type Called, callHook, recordNotCalled } from './webhooks.send.ts';

interface Payload {
  hook_id: number;
  /** Whose share of the lane it takes. */
  project_id: number | null;
}

/** Tells one hook all that it has still to be told, one after the other. */
export const DELIVER = jobKind<Payload>('webhook.deliver', { lane: 'hooks' });
/** The same of a hook that fails: those who wait for servers that do not answer hold up none that do. */
export const DELIVER_AGAIN = jobKind<Payload>('webhook.deliver_again', { lane: 'retries' });

/** So long one hook is served before others have their turn, in milliseconds. */
const SLICE_MS = 2_000;
/** Calls that have ended and need not be written down yet. */
const MAX_OPEN = 100;
/** Payloads read at once. */
const PAGE = 50;
/** First pause after nobody was reached, in milliseconds: it doubles until those of `health.ts` begin. */
const FIRST_PAUSE_MS = 2_000;
/** What a hook could not be told within this time it is not told any more. */
export const DELIVERY_WINDOW_MS = 3 * 86_400_000;

/** What a log says of a call whose payload cannot be read, as when the key of the installation was lost. */
const LOST = 'What was to be sent cannot be read any more';

/** What the calls of all hooks of a process share. */
export interface Dispatcher {
  log: DeliveryLog;
  limiter: CallRateLimiter;
}

/** Jobs of one hook run one at a time, in any process. */
export const orderKeyOf = (hookId: number): string => `webhook:${hookId}`;

/**
 * The job that serves a hook.
 * @param projectId whose share of the lane it takes
 * @param failing whether the hook has failed last
 */
export const deliverJob = (
  hookId: number,
  projectId: number | null,
  failing = false,
  runAt?: Date,
): NewJob<Payload> => ({
  kind: failing ? DELIVER_AGAIN : DELIVER,
  payload: { hook_id: hookId, project_id: projectId },
  uniqueKey: hookId,
  orderKey: orderKeyOf(hookId),
  projectId,
  ...(runAt === undefined ? {} : { runAt }),
});

type DeliveryWork = Pick<WebHookDelivery, 'id' | 'event_id' | 'event_uuid' | 'sent' | 'built' | 'created_at'>;

/**
 * Serves a hook: tells it what waits for it, and goes on later, in the lane where it belongs by then.
 * @param failing whether the job is one of a hook that fails
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
    // One that does not fail any more, since it was called or changed meanwhile, has nothing to wait for.
    await move(now ? ms : 0, now);
  }
}

/**
 * Tells a hook what waits for it, in order, until there is nothing more, its turn is over, or it is not reached: then
 * what comes after waits, too.
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
        if (performance.now() > end) throw new RetryLater(0, 'others have their turn');
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

/** The hook as it is now, if it may be called. @throws RetryLater while it pauses */
async function readyHook(deps: Deps, hookId: number): Promise<WebHook | undefined> {
  const hook = await deps.db.selectFrom('web_hooks').selectAll().where('id', '=', hookId).executeTakeFirst();
  if (hook === undefined) return undefined;
  const pause = pauseLeft(hook, deps.clock.now());
  if (pause > 0) throw new RetryLater(pause, 'the webhook pauses');
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
    const kept = deliveryLog.add({ deliveryId: delivery.id, log, sent });
    // Looked at when all of them are waited for.
    kept.catch(() => {});
    open.push(kept);
  };
  let hook = await readyHook(deps, hookId);
  const now = deps.clock.now();
  const late = Date.parse(delivery.created_at) < now.getTime() - DELIVERY_WINDOW_MS;
  const unwanted = late || isSilentMode(deps);
  if (hook === undefined || unwanted || alertStatus(hook, now) === 'disabled') return keep(null, null);
  const payloads = await payloadsFor(deps, hook, delivery);
  if (payloads.length === 0) return keep(null, null);
  for (const payload of payloads) {
    if (payload !== payloads[0]) hook = await readyHook(deps, hookId);
    if (hook === undefined) return keep(null, null);
    const { outcome, log } = await tell(deps, hook, delivery, payload, signal);
    const told = outcome !== 'unanswered';
    keep(log, told && payload === payloads.at(-1) ? null : payload.position + Number(told));
    if (told) continue;
    await Promise.all(open.splice(0));
    await pause(deps, hook);
    return keep(null, null);
  }
}

/** @param called as it was when it was called @throws RetryLater when the hook may be tried again: at once where it was changed */
async function pause(deps: Deps, called: WebHook): Promise<void> {
  const hook = await readyHook(deps, called.id);
  if (hook === undefined || alertStatus(hook, deps.clock.now()) === 'disabled') return;
  if (hook.secrets !== called.secrets) throw new RetryLater(0, 'the webhook was changed');
  throw new RetryLater(FIRST_PAUSE_MS * 2 ** Math.max(0, hook.failures - 1), 'the webhook was not reached');
}

/** What the hook wants of what the event told. */
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
      (trigger_name === 'always' || triggers.includes(trigger_name)) && takesBranch(hook, branch),
  );
}

/** @throws the reason of the signal */
async function tell(
  deps: Deps,
  hook: WebHook,
  delivery: DeliveryWork,
  { id, header, payload: stored, position }: WebHookPayload,
  signal: AbortSignal,
): Promise<Called> {
  const payload = openPayload(deps, stored);
  const message = {
    header,
    trigger: triggerOfLog(header),
    payload: payload ?? '{}',
    payloadId: id,
    eventUuid: delivery.event_uuid,
    idempotencyKey: uuidOf(hook.uuid, delivery.id, delivery.created_at, position),
  };
  if (payload === null) return recordNotCalled(deps, hook, message, LOST);
  if (await limitReached(deps, hook)) return recordNotCalled(deps, hook, message, LIMITED);
  const called = await callHook(deps, hook, message, signal);
  const pauses = !isSystem(hook) || called.outcome === 'unanswered';
  await recordCall(deps, deps.db, hook, called.outcome === 'done', pauses);
  return called;
}
