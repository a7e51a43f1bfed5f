import { lineageIds } from '../../../access/membership.ts';
import type { Db } from '../../../db/schema.ts';
import type { Milestone as MilestoneRow } from '../../../db/tables/milestones.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Deps } from '../../../deps.ts';
import type { Milestone } from './answers.ts';
import { presentMilestone } from './views.ts';

/** A milestone by its id that issues of the project can have: its own, or one of a group above; undefined for none. */
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

/** Milestones by their ids as the API shows them, in one query: what issues and merge requests of a page need. */
export async function milestonesById(
  deps: Deps,
  db: Db,
  ids: readonly (number | null)[],
): Promise<Map<number, Milestone>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const rows = await db
    .selectFrom('milestones')
    .leftJoin('projects', 'projects.id', 'milestones.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'milestones.group_id')
    .selectAll('milestones')
    .select(['projects.full_path as project_path', 'namespaces.full_path as group_path'])
    .where('milestones.id', 'in', wanted)
    .execute();
  return new Map(
    rows.map(({ project_path, group_path, ...row }) => [
      row.id,
      presentMilestone(deps, row, project_path ?? group_path ?? ''),
    ]),
  );
}
