import type { Deps } from '../deps.ts';
import { build } from './build.ts';
import { DELIVER, DELIVER_AGAIN, serveHook } from './deliver.ts';
import { fanOut } from './fan-out.ts';
import { Ledger } from './ledger.ts';
import { Pace } from './pace.ts';
import { PRUNE, PRUNE_MS, prune } from './prune.ts';
import type { HookSource } from './source.ts';
import { SWEEP, SWEEP_MS, sweep } from './sweep.ts';

/** Names what tells hooks of events. @param source says what they are told */
export function registerWebhooks(deps: Deps, source: HookSource): void {
  const office = { ledger: new Ledger(deps), pace: new Pace() };
  deps.jobs.register(DELIVER, (hook, { signal }) => serveHook(deps, office, hook, false, signal));
  deps.jobs.register(DELIVER_AGAIN, (hook, { signal }) => serveHook(deps, office, hook, true, signal));
  deps.events.subscribe({
    name: 'webhooks',
    types: source.types,
    wants: (event, db) => fanOut(deps, db, source, event),
    handle: (event, { attempts }) => build(deps, source, event, attempts),
  });
  deps.jobs.every(SWEEP, { everyMs: SWEEP_MS }, (_payload, { signal }) => sweep(deps, signal));
  deps.jobs.every(PRUNE, { everyMs: PRUNE_MS }, (_payload, { signal }) => prune(deps, signal));
}
