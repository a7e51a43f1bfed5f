import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Integration } from '../../db/tables/integrations.table.ts';
import type { Deps } from '../../deps.ts';
import type { RecordedEvent, SubscriptionJob } from '../../jobs/jobs.events.ts';
import type { HookSource } from '../../webhooks/webhooks.source.ts';
import { type Flag, type FlagValues, flagValue } from '../catalogue/catalogue.flags.ts';
import { type IntegrationKind, kindOf } from '../catalogue/catalogue.kinds.ts';
import { effectiveIntegrations, type IntegrationOwner } from '../effective-integrations.ts';
import { isAllowed } from '../integrations.rules.ts';
import { orderKeyOf } from '../order-key.ts';
import { hasIntegrations } from '../presence.ts';
import { HANDLERS } from './dispatch.handlers.ts';

/** The flag of a kind that something is told under; undefined where it is told nothing of the sort. */
export function flagOf({ slug, flags }: IntegrationKind, trigger: string): Flag | undefined {
  if (slug === 'jira' && trigger === 'push') return 'commit_events';
  // Logs that were archived are told with the jobs; the act asks whether they are wanted.
  if (trigger === 'job' || trigger === 'archive_trace')
    return flags.includes('build_events') ? 'job_events' : undefined;
  const flag = `${trigger}_events` as Flag;
  return flags.includes(flag) ? flag : undefined;
}

/**
 * Whether an integration is told of something. Incidents are issues, and have a flag of their own beside.
 * @param mayBeIncident false where it is known not to be one
 */
export function isSubscribed(row: Integration, kind: IntegrationKind, trigger: string, mayBeIncident = true): boolean {
  const kept = parseJson<FlagValues>(row.flags);
  const flags = [flagOf(kind, trigger)];
  if (mayBeIncident && /issues$/.test(trigger) && kind.flags.includes('incident_events')) flags.push('incident_events');
  return flags.some((flag) => flag !== undefined && flagValue(kept, flag) === true);
}

export const ownerOf = ({ project_id, group_id }: Pick<RecordedEvent, 'project_id' | 'group_id'>) =>
  project_id !== null
    ? ({ kind: 'project', id: project_id } as const satisfies IntegrationOwner)
    : group_id !== null
      ? ({ kind: 'group', id: group_id } as const satisfies IntegrationOwner)
      : null;

/** The integrations that are told of an event, in its transaction: each gets a job of its own. */
export async function enqueueNotifications(
  deps: Deps,
  db: Db,
  source: HookSource,
  event: RecordedEvent,
): Promise<readonly SubscriptionJob[]> {
  const triggers = source.triggersOf(event);
  const place = ownerOf(event);
  if (triggers.length === 0 || place === null || !(await hasIntegrations(deps, db))) return [];
  const targets: SubscriptionJob[] = [];
  for (const { row } of await effectiveIntegrations(db, place)) {
    const kind = kindOf(row.slug);
    if (row.active === 0 || kind === undefined || !HANDLERS.has(row.slug)) continue;
    if (!triggers.some((trigger) => isSubscribed(row, kind, trigger)) || !(await isAllowed(deps, kind, db))) continue;
    targets.push({ orderKey: orderKeyOf(row.id), data: { integration_id: row.id } });
  }
  return targets;
}
