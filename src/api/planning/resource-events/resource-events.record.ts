import type { Insertable } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { ResourceEvent, ResourceEventsTable } from '../../../db/tables/resource-events.table.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';

/** The changed object. */
export interface Resource {
  type: IssuableType;
  id: number;
  projectId: number;
}

type Fields = Partial<Insertable<ResourceEventsTable>> & Pick<ResourceEvent, 'kind'>;

const rowOf = (
  deps: Deps,
  { type, id, projectId }: Resource,
  userId: number | null,
  fields: Fields,
): Insertable<ResourceEventsTable> => ({
  issuable_type: type,
  issuable_id: id,
  project_id: projectId,
  user_id: userId,
  created_at: timestamp(deps.clock),
  ...fields,
});

const store = async (db: Db, rows: readonly Insertable<ResourceEventsTable>[]): Promise<void> => {
  if (rows.length > 0) await db.insertInto('resource_events').values(rows).execute();
};

/** Records added and removed labels, in the transaction of the change. */
export const recordLabels = (
  deps: Deps,
  db: Db,
  resource: Resource,
  userId: number | null,
  { added, removed }: { added: readonly { id: number }[]; removed: readonly { id: number }[] },
): Promise<void> => {
  const row = (action: 'add' | 'remove') => (label: { id: number }) =>
    rowOf(deps, resource, userId, { kind: 'label', action, label_id: label.id });
  return store(db, [...added.map(row('add')), ...removed.map(row('remove'))]);
};

/** Records a new or removed milestone. @param state state of the issue or merge request */
export const recordMilestone = (
  deps: Deps,
  db: Db,
  resource: Resource,
  userId: number | null,
  { before, after, state }: { before: number | null; after: number | null; state: ResourceEvent['state'] },
): Promise<void> =>
  store(db, [
    rowOf(deps, resource, userId, {
      kind: 'milestone',
      action: after === null ? 'remove' : 'add',
      milestone_id: after ?? before,
      state,
    }),
  ]);

/** What closed an issue, if not a request of a user. */
export interface StateSource {
  /** Project of the merge request or commit. */
  projectId: number;
  mergeRequestId?: number | undefined;
  commitSha?: string | undefined;
}

/** Records a new state. @param userId null for the system */
export const recordState = (
  deps: Deps,
  db: Db,
  resource: Resource,
  userId: number | null,
  state: 'closed' | 'reopened' | 'merged',
  source?: StateSource,
): Promise<void> =>
  store(db, [
    rowOf(deps, resource, userId, {
      kind: 'state',
      state,
      source_project_id: source?.projectId ?? null,
      source_merge_request_id: source?.mergeRequestId ?? null,
      source_commit: source?.commitSha ?? null,
    }),
  ]);

/** Records a new weight of an issue; null for a removed one. */
export const recordWeight = (
  deps: Deps,
  db: Db,
  issue: Omit<Resource, 'type'>,
  userId: number | null,
  weight: number | null,
): Promise<void> => store(db, [rowOf(deps, { type: 'Issue', ...issue }, userId, { kind: 'weight', weight })]);
