import type { Deps } from '../deps.ts';
import type { HookSource } from '../webhooks/source.ts';
import { registerMailPruning } from './mails/once.ts';
import { fanOut } from './telling/fan-out.ts';
import { tellIntegration } from './telling/tell.ts';

/** Names what tells integrations of events. @param source says what they are told */
export function registerIntegrations(deps: Deps, source: HookSource): void {
  registerMailPruning(deps);
  deps.events.subscribe({
    name: 'integrations',
    types: source.types,
    lane: 'hooks',
    wants: (event, db) => fanOut(deps, db, source, event),
    handle: (event, { data, signal }) =>
      tellIntegration(deps, source, event, (data as { integration_id: number }).integration_id, signal),
  });
}
