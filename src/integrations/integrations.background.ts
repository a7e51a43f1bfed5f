import type { Deps } from '../deps.ts';
import type { HookSource } from '../webhooks/webhooks.source.ts';
import { enqueueNotifications } from './dispatch/enqueue-notifications.ts';
import { notifyIntegration } from './dispatch/notify-integration.ts';
import { registerMailPruning } from './mails/integration-mails.once.ts';

/** Registers the dispatch of events to integrations. @param source builds the payloads */
export function registerIntegrations(deps: Deps, source: HookSource): void {
  registerMailPruning(deps);
  deps.events.subscribe({
    name: 'integrations',
    types: source.types,
    lane: 'hooks',
    wants: (event, db) => enqueueNotifications(deps, db, source, event),
    handle: (event, { data, signal }) =>
      notifyIntegration(deps, source, event, (data as { integration_id: number }).integration_id, signal),
  });
}
