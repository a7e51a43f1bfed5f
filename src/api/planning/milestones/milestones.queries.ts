import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { AFTER_LINEAGE } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import type { ReadableProjectsFilter } from '../../../access/readable-projects.ts';
import { visibleGroups } from '../../../access/visible-groups.ts';
import { today } from '../../../core/clock.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { containsWords } from '../../../db/like.ts';
import type { Milestone } from '../../../db/tables/milestones.table.ts';
import type { Deps } from '../../../deps.ts';
import { withOpenIssuables } from '../issuables/issuables.visible-projects.ts';
import type { MilestoneOwner } from './milestone-owner.ts';
import type { MilestoneFilters } from './milestones.inputs.ts';

type Builder = ExpressionBuilder<Schema, 'milestones'>;
type Condition = (eb: Builder) => Expression<SqlBool>;

/** Finds a milestone of exactly this project or group by its id; undefined for none. */
export async function findMilestone(db: Db, owner: MilestoneOwner, id: number): Promise<Milestone | undefined> {
  return db.selectFrom('milestones').selectAll().where('id', '=', id).where(ownedBy(owner)).executeTakeFirst();
}

const ownedBy =
  ({ type, id }: Pick<MilestoneOwner, 'type' | 'id'>): Condition =>
  (eb) =>
    eb(`${type}_id`, '=', id);

/**
 * Condition on `milestones`: those that the caller may read, of visible groups and of projects whose issues or merge
 * requests are open to them.
 * @param filter `below`: only of the group of this lineage and its descendants
 */
export async function visibleMilestones(
  deps: Deps,
  db: Db,
  caller: Caller,
  filter: Pick<ReadableProjectsFilter, 'below' | 'nonArchived'>,
): Promise<Condition> {
  const visible = await visibleGroups(deps, caller);
  const { below } = filter;
  return (eb) => {
    let groups = eb.selectFrom('namespaces').select('id').where(visible);
    if (below !== undefined) {
      groups = groups.where('lineage', '>=', below).where('lineage', '<', below + AFTER_LINEAGE);
    }
    const projects = db
      .selectFrom('projects')
      .select('projects.id')
      .where((inner) => withOpenIssuables(inner, caller, filter, today(deps.clock)));
    // Each part by its own index; a condition on either column would have every milestone read.
    const ofGroups = db.selectFrom('milestones as m').select('m.id').where('m.group_id', 'in', groups);
    const ofProjects = db.selectFrom('milestones as m').select('m.id').where('m.project_id', 'in', projects);
    return eb('id', 'in', ofGroups.unionAll(ofProjects));
  };
}

/** Condition on the owner of milestones: the project or group itself, its ancestors, its descendants. */
async function included(
  deps: Deps,
  db: Db,
  caller: Caller,
  owner: MilestoneOwner,
  { ancestors, descendants }: { ancestors: boolean; descendants: boolean },
): Promise<Condition> {
  const below = await visibleMilestones(deps, db, caller, { below: owner.lineage });
  return (eb) => {
    const parts = [ownedBy(owner)(eb)];
    if (ancestors) parts.push(eb('group_id', 'in', owner.groups));
    if (descendants) parts.push(below(eb));
    return eb.or(parts);
  };
}

function* conditions(filters: MilestoneFilters, ancestors: boolean): Generator<Condition> {
  const { iids, state, title, search, search_title, updated_before, updated_after } = filters;
  if (iids !== undefined && iids.length > 0 && !ancestors) yield (eb) => eb('iid', 'in', iids);
  if (state === 'active' || state === 'closed') yield (eb) => eb('state', '=', state);
  if (title !== undefined) yield (eb) => eb('title', '=', title);
  if (search?.trim()) yield (eb) => containsWords([eb.ref('title'), eb.ref('description')], search);
  if (search_title?.trim()) yield (eb) => containsWords([eb.ref('title')], search_title);
  if (updated_before !== undefined) yield (eb) => eb('updated_at', '<=', updated_before);
  if (updated_after !== undefined) yield (eb) => eb('updated_at', '>=', updated_after);
  const { containing_date, start_date, end_date } = filters;
  if (containing_date !== undefined) yield between(containing_date, containing_date);
  else if (start_date !== undefined && end_date !== undefined) yield between(start_date, end_date);
}

/** Condition: milestones that overlap a period; a missing date is unbounded. */
const between =
  (from: string, to: string): Condition =>
  (eb) =>
    eb.and([
      eb.or([eb('start_date', 'is not', null), eb('due_date', 'is not', null)]),
      eb.or([eb('start_date', 'is', null), eb('start_date', '<=', to)]),
      eb.or([eb('due_date', 'is', null), eb('due_date', '>=', from)]),
    ]);

/** Query for a list of milestones, ordered by due date, then newest first. */
export async function milestoneList(
  deps: Deps,
  db: Db,
  caller: Caller,
  owner: MilestoneOwner,
  filters: MilestoneFilters & { include_descendants?: boolean },
) {
  const ancestors = filters.include_ancestors ?? filters.include_parent_milestones ?? false;
  const descendants = filters.include_descendants ?? false;
  let query = db
    .selectFrom('milestones')
    .selectAll()
    .where(await included(deps, db, caller, owner, { ancestors, descendants }));
  for (const condition of conditions(filters, ancestors)) query = query.where(condition);
  return query.orderBy(sql`case when due_date is null then 1 else 0 end`).orderBy('due_date').orderBy('id', 'desc');
}

/**
 * Whether a title is taken by a milestone of the same project or group, of the group of a project, or of a project of a
 * group.
 */
export async function isTitleTaken(db: Db, owner: MilestoneOwner, title: string, exceptId = 0): Promise<boolean> {
  const row = await db
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', title)
    .where('id', '!=', exceptId)
    .where((eb) => {
      const other =
        owner.type === 'project'
          ? eb('group_id', '=', owner.groups.at(-1) ?? 0)
          : eb('project_id', 'in', eb.selectFrom('projects').select('id').where('namespace_id', '=', owner.id));
      return eb.or([ownedBy(owner)(eb), other]);
    })
    .executeTakeFirst();
  return row !== undefined;
}
