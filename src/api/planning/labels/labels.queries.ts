import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { AFTER_LINEAGE, lineageIds } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { visibleGroups } from '../../../access/visible-groups.ts';
import { today } from '../../../core/clock.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { containsWords } from '../../../db/like.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { Deps } from '../../../deps.ts';
import { withOpenIssuables } from '../issuables/issuables.visible-projects.ts';
import type { LabelOwner } from './label-owner.ts';
import type { LabelFilters, LabelScope } from './labels.inputs.ts';

type Condition = (eb: ExpressionBuilder<Schema, 'labels'>) => Expression<SqlBool>;

/** Ids of the groups whose labels the project or group owns or inherits. */
function groupsAbove({ namespace }: LabelOwner, ancestors: boolean): number[] {
  return ancestors ? lineageIds(namespace.lineage) : [namespace.id];
}

/** Subquery: projects of the group, or also of its descendants, whose issues or merge requests the caller may read. */
function projectsOf(deps: Deps, caller: Caller, { namespace }: LabelOwner, descendants: boolean) {
  const query = deps.db
    .selectFrom('projects')
    .select('projects.id')
    .where((eb) => withOpenIssuables(eb, caller, { below: namespace.lineage }, today(deps.clock)));
  return descendants ? query : query.where('projects.namespace_id', '=', namespace.id);
}

/** Condition on labels: they are available in the project or group. */
async function offered(deps: Deps, caller: Caller, owner: LabelOwner, scope: LabelScope): Promise<Condition> {
  const { include_ancestor_groups: ancestors = true, include_descendant_groups: descendants = false } = scope;
  const above = groupsAbove(owner, ancestors);
  if (owner.type === 'project') {
    return (eb) => eb.or([eb('project_id', '=', owner.id), eb('group_id', 'in', above)]);
  }
  const visible = await visibleGroups(deps, caller);
  return (eb) => {
    const parts = [eb('group_id', 'in', above)];
    if (descendants) {
      const below = eb
        .selectFrom('namespaces')
        .select('id')
        .where('lineage', '>=', owner.namespace.lineage)
        .where('lineage', '<', owner.namespace.lineage + AFTER_LINEAGE)
        .where(visible);
      parts.push(eb('group_id', 'in', below));
    }
    if (scope.only_group_labels === false) {
      parts.push(eb('project_id', 'in', projectsOf(deps, caller, owner, descendants)));
    }
    return eb.or(parts);
  };
}

/** Query for a list of labels, ordered by name. */
export async function labelList(deps: Deps, caller: Caller, owner: LabelOwner, filters: LabelFilters) {
  const { search, archived } = filters;
  let query = deps.db
    .selectFrom('labels')
    .selectAll()
    .where(await offered(deps, caller, owner, filters));
  if (search?.trim()) query = query.where((eb) => containsWords([eb.ref('name'), eb.ref('description')], search));
  if (archived !== undefined) query = query.where('archived', '=', archived ? 1 : 0);
  return query.orderBy('name').orderBy('id');
}

/** Finds an available label by id or name; the nearest one if several have the same name. */
export async function findLabel(
  deps: Deps,
  caller: Caller,
  owner: LabelOwner,
  key: string,
  scope: LabelScope,
): Promise<Label | undefined> {
  const labels = deps.db
    .selectFrom('labels')
    .selectAll()
    .where(await offered(deps, caller, owner, scope));
  const byId = /^\d{1,15}$/.test(key) ? await labels.where('id', '=', Number(key)).executeTakeFirst() : undefined;
  if (byId !== undefined) return byId;
  const named = await labels.where('name', '=', key).orderBy('id').limit(100).execute();
  const groups = lineageIds(owner.namespace.lineage);
  const distance = ({ group_id }: Label) => (group_id === null ? -1 : groups.length - groups.indexOf(group_id));
  return named.sort((a, b) => distance(a) - distance(b))[0];
}

/** Whether the project or group, or an ancestor group, has a label with the name. */
export async function isNameAvailable(db: Db, owner: LabelOwner, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('labels')
    .select('id')
    .where('name', '=', name)
    .where((eb) => {
      const above = eb('group_id', 'in', groupsAbove(owner, true));
      return owner.type === 'project' ? eb.or([above, eb('project_id', '=', owner.id)]) : above;
    })
    .executeTakeFirst();
  return row !== undefined;
}
