import { lineageIds } from '../../../access/access.membership.ts';
import { type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { ApiError, type FieldErrors } from '../../../core/core.errors.ts';
import { groupNameErrors, groupPathErrors, MAX_ANCESTORS } from '../../../core/core.paths.ts';
import type { Db } from '../../../db/db.schema.ts';
import { startsWith } from '../../../db/like.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

/** 400 for a group that could not be created: errors by field, in the platform's notation. */
export function notSaved(errors: FieldErrors): ApiError {
  const fields = Object.entries(errors).map(
    ([field, texts]) => `:${field}=>[${texts.map((text) => JSON.stringify(text)).join(', ')}]`,
  );
  return new ApiError(400, `Failed to save group {${fields.join(', ')}}`, { errors });
}

/** Only the fields with errors. */
export const withErrors = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).filter(([, texts]) => texts.length > 0));

/** Validates the name and path of a group below its parent. */
export const namingErrors = (
  { name, path }: { name?: string | undefined; path?: string | undefined },
  topLevel: boolean,
): FieldErrors => ({
  name: name === undefined ? [] : groupNameErrors(name),
  path: path === undefined ? [] : groupPathErrors(path, { topLevel }),
});

/** A group must not be more visible than its parent. */
export const parentVisibilityErrors = (visibility: Visibility, parent: Namespace | null): string[] =>
  parent !== null && visibilityLevel(visibility) > visibilityLevel(parent.visibility)
    ? [`${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`]
    : [];

/** A group has at most 20 ancestors. */
export const depthErrors = (parent: Namespace | null): string[] =>
  parent !== null && lineageIds(parent.lineage).length > MAX_ANCESTORS ? ['has too deep level of nesting'] : [];

/** Subgroups and projects must not be more visible than the group. */
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

/** Returns the number of levels below the group. */
export async function heightOf(db: Db, group: Namespace): Promise<number> {
  const rows = await db
    .selectFrom('namespaces')
    .select('lineage')
    .where((eb) => startsWith(eb, eb.ref('lineage'), group.lineage))
    .execute();
  const own = lineageIds(group.lineage).length;
  return Math.max(...rows.map(({ lineage }) => lineageIds(lineage).length - own));
}
