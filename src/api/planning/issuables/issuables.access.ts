import { Type } from 'typebox';
import type { AbilityTarget } from '../../../access/ability-target.ts';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Access } from '../../../http/http.route.ts';
import { type ObjectOptions, onObject, type UserScope } from '../../object-access.ts';
import type { IssuableKind, IssuableRow } from './issuables.kind.ts';

/** Whether an issue or merge request is assigned to the user. */
export async function isAssignee(db: Db, type: IssuableType, id: number, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('issuable_assignees')
    .select('user_id')
    .where('issuable_type', '=', type)
    .where('issuable_id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Target for abilities on an issue or merge request: whether the user is author or assignee. */
export const issuableTarget = (
  db: Db,
  type: IssuableType,
  { id, author_id }: Pick<IssuableRow, 'id' | 'author_id'>,
  userId: number,
): AbilityTarget => ({
  is: (relation) => {
    if (relation === 'author') return author_id === userId;
    return relation === 'assignee' && isAssignee(db, type, id, userId);
  },
});

export interface IssuableOptions<Row extends IssuableRow> extends ObjectOptions<{ row: Row }> {
  /** Ability that is required to see the object at all; by default the one to read it. */
  sees?: ProjectAbility;
}

/** Access for users with an ability on an issue or merge request; the handler gets it as `row`. */
export function onIssuable<Row extends IssuableRow>(
  kind: Pick<IssuableKind<Row>, 'type' | 'param' | 'noun' | 'read' | 'find'>,
  ability: ProjectAbility,
  { sees = kind.read, ...options }: IssuableOptions<Row> = {},
): Access<UserScope & { row: Row }> {
  const noun = kind.noun.replace(/^an? /, '');
  const params = { [kind.param]: Type.Integer({ description: `Number of the ${noun} in the project.` }) };
  return onObject(
    {
      noun,
      sees,
      params,
      find: async (deps, scope, values) => ({ row: await kind.find(deps, scope, values[kind.param] as number) }),
      target: ({ db }, { row }, { user }) => issuableTarget(db, kind.type, row, user.id),
    },
    ability,
    options,
  );
}
