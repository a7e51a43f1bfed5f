import { randomUUID } from 'node:crypto';
import { lineageIds } from '../access/access.membership.ts';
import { effectivePlan, includesPlan } from '../access/access.plan.ts';
import { timestamp } from '../core/clock.ts';
import { currentScope } from '../core/request-scope.ts';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import type { RecordedEvent } from '../jobs/jobs.events.ts';
import { isSilentMode } from '../settings/silent-mode.ts';
import { MAX_FAILURES } from './health.ts';
import { chainOf } from './recursion.ts';
import { ALWAYS, type HookSource } from './webhooks.source.ts';

/** Triggers that any hook is subscribed to. */
interface Presence {
  project: ReadonlySet<string>;
  group: ReadonlySet<string>;
  system: ReadonlySet<string>;
}

const BATCH_SIZE = 1_000;

const usedTriggers = prepared((db) =>
  db
    .selectFrom('web_hooks')
    .select((eb) => [
      'triggers',
      eb('project_id', 'is not', null).$castTo<number | boolean>().as('of_project'),
      eb('group_id', 'is not', null).$castTo<number | boolean>().as('of_group'),
    ])
    .where('failures', '<', MAX_FAILURES)
    .distinct(),
);

/** Loads the triggers in use, cached, so that events without subscribed hooks cost no statement. */
const presence = (deps: Pick<Deps, 'recent'>, db: Db): Promise<Presence> =>
  deps.recent.get('web_hooks', async () => {
    const rows = await usedTriggers(db, {});
    const inUse = { project: new Set<string>(), group: new Set<string>(), system: new Set<string>() };
    for (const { triggers, of_project, of_group } of rows) {
      const place = of_project ? 'project' : of_group ? 'group' : 'system';
      for (const trigger of parseJson<string[]>(triggers)) inUse[place].add(trigger);
      if (place === 'system') inUse.system.add(ALWAYS);
    }
    return inUse;
  });

/**
 * Enqueues the deliveries of an event in its transaction; hooks receive events in this order.
 * @returns whether there are any
 */
export async function enqueueDeliveries(
  deps: Deps,
  db: Db,
  source: HookSource,
  event: RecordedEvent,
): Promise<boolean> {
  if (isSilentMode(deps)) return false;
  const triggers = source.triggersOf(event);
  const systemTriggers = source.systemTriggersOf(event);
  if (triggers.length + systemTriggers.length === 0) return false;
  const known = await presence(deps, db);
  const some = (all: ReadonlySet<string>, triggerNames: readonly string[]) =>
    triggerNames.some((trigger) => all.has(trigger));
  const hooks: Pick<WebHook, 'id' | 'triggers'>[] = [];
  if (some(known.project, triggers) || some(known.group, triggers)) {
    hooks.push(...(await hooksAt(deps, db, event, triggers, some(known.group, triggers))));
  }
  if (some(known.system, systemTriggers)) hooks.push(...(await systemHooks(db, systemTriggers)));
  return hooks.length > 0 && enter(deps, db, event, hooks);
}

const wanting = <T extends Pick<WebHook, 'triggers'>>(hooks: readonly T[], triggers: readonly string[]): T[] =>
  hooks.filter((hook) => parseJson<string[]>(hook.triggers).some((trigger) => triggers.includes(trigger)));

async function systemHooks(db: Db, triggers: readonly string[]) {
  const rows = await db
    .selectFrom('web_hooks')
    .select(['id', 'triggers'])
    .where('project_id', 'is', null)
    .where('group_id', 'is', null)
    .orderBy('id')
    .execute();
  return triggers.includes(ALWAYS) ? rows : wanting(rows, triggers);
}

/** Hooks of the project and its ancestor groups, or of the group and its ancestors. */
async function hooksAt(
  deps: Deps,
  db: Db,
  event: RecordedEvent,
  triggers: readonly string[],
  ofGroups: boolean,
): Promise<Pick<WebHook, 'id' | 'triggers'>[]> {
  const { project_id: project } = event;
  const groups = ofGroups && includesPlan(await effectivePlan(deps, db), 'premium') ? await groupsAbove(db, event) : [];
  if (project === null && groups.length === 0) return [];
  const rows = await db
    .selectFrom('web_hooks')
    .select(['id', 'triggers'])
    .where((eb) => eb.or([...(project === null ? [] : [eb('project_id', '=', project)]), eb('group_id', 'in', groups)]))
    .where('failures', '<', MAX_FAILURES)
    .orderBy('id')
    .execute();
  return wanting(rows, triggers);
}

/** Ids of the ancestor groups of an event, also if its project or group was deleted. */
async function groupsAbove(db: Db, { project_id, group_id, payload }: RecordedEvent): Promise<number[]> {
  const facts = payload as { project?: { namespace_id: number }; group?: { parent_id: number | null } };
  const query = db.selectFrom('namespaces').select('lineage');
  const namespace =
    project_id === null
      ? await query.where('id', '=', group_id).executeTakeFirst()
      : await query
          .where('id', '=', (eb) => eb.selectFrom('projects').select('namespace_id').where('id', '=', project_id))
          .executeTakeFirst();
  if (namespace !== undefined) return lineageIds(namespace.lineage);
  const parent = facts.project?.namespace_id ?? facts.group?.parent_id ?? null;
  if (parent === null) return [];
  const above = await query.where('id', '=', parent).executeTakeFirst();
  return above === undefined ? [] : lineageIds(above.lineage);
}

async function enter(
  deps: Deps,
  db: Db,
  event: RecordedEvent,
  hooks: readonly Pick<WebHook, 'id'>[],
): Promise<boolean> {
  const { hookChain } = currentScope();
  const chain = hookChain === undefined ? null : await chainOf(db, hookChain);
  if (chain?.full) return false;
  const recipients = hooks.filter(({ id }) => !chain?.hooks.has(id));
  const values = { event_id: event.id, event_uuid: hookChain ?? randomUUID(), created_at: timestamp(deps.clock) };
  for (let at = 0; at < recipients.length; at += BATCH_SIZE) {
    const rows = recipients.slice(at, at + BATCH_SIZE).map(({ id }) => ({ ...values, hook_id: id }));
    await db.insertInto('web_hook_deliveries').values(rows).execute();
  }
  return recipients.length > 0;
}
