import { lineageIds } from '../../../access/access.membership.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Milestone as MilestoneRow } from '../../../db/tables/milestones.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Milestone } from './milestones.responses.ts';
import { presentMilestone } from './milestones.views.ts';

/**
 * Finds a milestone by id that is available in the project: its own, or one of an ancestor group; undefined for none.
 */
export async function findMilestoneFor(
  db: Db,
  project: { id: number },
  namespace: Pick<Namespace, 'lineage'>,
  id: number,
): Promise<MilestoneRow | undefined> {
  const groups = lineageIds(namespace.lineage);
  return db
    .selectFrom('milestones')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('project_id', '=', project.id), eb('group_id', 'in', groups)]))
    .executeTakeFirst();
}

/**
 * Finds an available milestone by title: active and nearest ones first. A number that is not a title is the iid of a
 * project milestone.
 */
export async function findMilestoneOfName(
  db: Db,
  project: { id: number },
  namespace: Pick<Namespace, 'lineage'>,
  name: string,
): Promise<MilestoneRow | undefined> {
  const groups = lineageIds(namespace.lineage);
  const rows = await db
    .selectFrom('milestones')
    .selectAll()
    .where('title', '=', name)
    .where((eb) => eb.or([eb('project_id', '=', project.id), eb('group_id', 'in', groups)]))
    .orderBy('id')
    .execute();
  const farness = ({ state, group_id }: MilestoneRow) =>
    (state === 'active' ? 0 : groups.length + 1) + (group_id === null ? 0 : 1 + groups.indexOf(group_id));
  const [nearest] = rows.toSorted((a, b) => farness(a) - farness(b));
  if (nearest !== undefined || !/^[1-9]\d{0,8}$/.test(name)) return nearest;
  const ofNumber = db.selectFrom('milestones').selectAll().where('project_id', '=', project.id);
  return ofNumber.where('iid', '=', Number(name)).executeTakeFirst();
}

/** Loads and presents milestones by id, in one query, for a page of issues or merge requests. */
export async function milestonesById(
  deps: Deps,
  db: Db,
  ids: readonly (number | null)[],
): Promise<Map<number, Milestone>> {
  const uniqueIds = [...new Set(ids.filter((id) => id !== null))];
  if (uniqueIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('milestones')
    .leftJoin('projects', 'projects.id', 'milestones.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'milestones.group_id')
    .selectAll('milestones')
    .select(['projects.full_path as project_path', 'namespaces.full_path as group_path'])
    .where('milestones.id', 'in', uniqueIds)
    .execute();
  return new Map(
    rows.map(({ project_path, group_path, ...row }) => [
      row.id,
      presentMilestone(deps, row, project_path ?? group_path ?? ''),
    ]),
  );
}
