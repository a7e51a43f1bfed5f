import { lineageIds } from '../../../access/access.membership.ts';
import { type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { ApiError, type FieldErrors } from '../../../core/core.errors.ts';
import { groupNameErrors, groupPathErrors, MAX_ANCESTORS } from '../../../core/core.paths.ts';
import type { Db } from '../../../db/db.schema.ts';
import { startsWith } from '../../../db/like.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

/** 400 of a group that could not be created: the texts by field, in the platform's own notation. */
export function notSaved(errors: FieldErrors): ApiError {
  const fields = Object.entries(errors).map(
    ([field, texts]) => `:${field}=>[${texts.map((text) => JSON.stringify(text)).join(', ')}]`,
  );
  return new ApiError(400, `Failed to save group {${fields.join(', ')}}`, { errors });
}

/** Only the fields that have something wrong. */
export const withErrors = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).filter(([, texts]) => texts.length > 0));

/** What is wrong with a group's name and path at its place. */
export const namingErrors = (
  { name, path }: { name?: string | undefined; path?: string | undefined },
  topLevel: boolean,
): FieldErrors => ({
  name: name === undefined ? [] : groupNameErrors(name),
  path: path === undefined ? [] : groupPathErrors(path, { topLevel }),
});

/** A group is never more open than the one above it. */
export const parentVisibilityErrors = (visibility: Visibility, parent: Namespace | null): string[] =>
  parent !== null && visibilityLevel(visibility) > visibilityLevel(parent.visibility)
    ? [`${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`]
    : [];

/** No more than 20 groups stand above a group. */
export const depthErrors = (parent: Namespace | null): string[] =>
  parent !== null && lineageIds(parent.lineage).length > MAX_ANCESTORS ? ['has too deep level of nesting'] : [];

/** What is below a group is never more open than the group. */
export async function contentVisibilityErrors(db: Db, group: Namespace, visibility: Visibility): Promise<string[]> {
  const higher = (['internal', 'public'] as const).filter(
    (each) => visibilityLevel(each) > visibilityLevel(visibility),
  );
  if (higher.length === 0) return [];
  const subgroup = await db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', group.id)
    .where('visibility', 'in', higher)
    .limit(1)
    .executeTakeFirst();
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', group.id)
    .where('visibility', 'in', higher)
    .limit(1)
    .executeTakeFirst();
  return [
    ...(project === undefined
      ? []
      : [`${visibility} is not allowed since this group contains projects with higher visibility.`]),
    ...(subgroup === undefined
      ? []
      : [`${visibility} is not allowed since there are sub-groups with higher visibility.`]),
  ];
}

/** How many levels of groups are below the group at most. */
export async function heightOf(db: Db, group: Namespace): Promise<number> {
  const rows = await db
    .selectFrom('namespaces')
    .select('lineage')
    .where((eb) => startsWith(eb, eb.ref('lineage'), group.lineage))
    .execute();
  const own = lineageIds(group.lineage).length;
  return Math.max(...rows.map(({ lineage }) => lineageIds(lineage).length - own));
}
