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

/** The flag of a kind for a trigger; undefined if the kind does not support the trigger. */
export function flagOf({ slug, flags }: IntegrationKind, trigger: string): Flag | undefined {
  if (slug === 'jira' && trigger === 'push') return 'commit_events';
  // Archived logs use the flag of jobs; the handler checks whether they are enabled.
  if (trigger === 'job' || trigger === 'archive_trace')
    return flags.includes('build_events') ? 'job_events' : undefined;
  const flag = `${trigger}_events` as Flag;
  return flags.includes(flag) ? flag : undefined;
}

/**
 * Whether an integration is subscribed to a trigger. Incidents are issues with an additional flag.
 * @param mayBeIncident false if it is known not to be an incident
 */
export function isSubscribed(row: Integration, kind: IntegrationKind, trigger: string, mayBeIncident = true): boolean {
  const flagValues = parseJson<FlagValues>(row.flags);
  const flags = [flagOf(kind, trigger)];
  if (mayBeIncident && /issues$/.test(trigger) && kind.flags.includes('incident_events')) flags.push('incident_events');
  return flags.some((flag) => flag !== undefined && flagValue(flagValues, flag) === true);
}

export const ownerOf = ({ project_id, group_id }: Pick<RecordedEvent, 'project_id' | 'group_id'>) =>
  project_id !== null
    ? ({ kind: 'project', id: project_id } as const satisfies IntegrationOwner)
    : group_id !== null
      ? ({ kind: 'group', id: group_id } as const satisfies IntegrationOwner)
      : null;

/** Enqueues a job for each integration that is subscribed to an event, in its transaction. */
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
