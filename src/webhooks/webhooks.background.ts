import type { Deps } from '../deps.ts';
import { build } from './build.ts';
import { CallRateLimiter } from './call-rate-limiter.ts';
import { DELIVER, REDELIVER, serveHook } from './deliver.ts';
import { DeliveryLog } from './delivery-log.ts';
import { enqueueDeliveries } from './enqueue-deliveries.ts';
import { rescheduleStuckDeliveries, SWEEP, SWEEP_MS } from './stuck-deliveries.ts';
import { PRUNE, PRUNE_MS, prune } from './webhooks.prune.ts';
import type { HookSource } from './webhooks.source.ts';

/** Registers the dispatch of events to webhooks. @param source builds the payloads */
export function registerWebhooks(deps: Deps, source: HookSource): void {
  const dispatcher = { log: new DeliveryLog(deps), limiter: new CallRateLimiter() };
  deps.jobs.register(DELIVER, (hook, { signal }) => serveHook(deps, dispatcher, hook, false, signal));
  deps.jobs.register(REDELIVER, (hook, { signal }) => serveHook(deps, dispatcher, hook, true, signal));
  deps.events.subscribe({
    name: 'webhooks',
    types: source.types,
    wants: (event, db) => enqueueDeliveries(deps, db, source, event),
    handle: (event, { attempts }) => build(deps, source, event, attempts),
  });
  deps.jobs.every(SWEEP, { everyMs: SWEEP_MS }, (_payload, { signal }) => rescheduleStuckDeliveries(deps, signal));
  deps.jobs.every(PRUNE, { everyMs: PRUNE_MS }, (_payload, { signal }) => prune(deps, signal));
}
