import type { Deps } from '../deps.ts';
import { build } from './build.ts';
import { DELIVER, deliverAll } from './deliver.ts';
import { fanOut } from './fan-out.ts';
import { Ledger } from './ledger.ts';
import type { HookSource } from './source.ts';

/** Names what tells hooks of events. @param source says what they are told */
export function registerWebhooks(deps: Deps, source: HookSource): void {
  const ledger = new Ledger(deps);
  deps.jobs.register(DELIVER, ({ hook_id }, { signal }) => deliverAll(deps, ledger, hook_id, signal));
  deps.events.subscribe({
    name: 'webhooks',
    types: source.types,
    wants: (event, db) => fanOut(deps, db, source, event),
    handle: (event) => build(deps, source, event),
  });
}
