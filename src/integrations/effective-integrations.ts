import { lineageIds } from '../access/access.membership.ts';
import type { Db } from '../db/db.schema.ts';
import type { Integration } from '../db/tables/integrations.table.ts';

/** Whose integrations. */
export interface IntegrationOwner {
  kind: 'project' | 'group';
  id: number;
}

/** An integration as it holds in a place. */
export interface EffectiveIntegration {
  row: Integration;
  /** Whether it is that of a group above. */
  inherited: boolean;
}

/** Ids of the groups above a place, the nearest first. */
async function groupsAbove(db: Db, { kind, id }: IntegrationOwner): Promise<number[]> {
  const query = db.selectFrom('namespaces').select('lineage');
  const found = await (kind === 'group'
    ? query.where('id', '=', id)
    : query.where('id', '=', (eb) => eb.selectFrom('projects').select('namespace_id').where('projects.id', '=', id))
  ).executeTakeFirst();
  const ids = found === undefined ? [] : lineageIds(found.lineage).reverse();
  return kind === 'group' ? ids.filter((each) => each !== id) : ids;
}

/**
 * What holds in a place, a row a kind: its own, else that of the nearest group above that has one. So what a group changes holds
 * at once in all below it, and in what is made there later.
 * @param slug of one kind; absent for all
 */
export async function effectiveIntegrations(
  db: Db,
  owner: IntegrationOwner,
  slug?: string,
): Promise<EffectiveIntegration[]> {
  const groups = await groupsAbove(db, owner);
  const query = db
    .selectFrom('integrations')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb(owner.kind === 'project' ? 'project_id' : 'group_id', '=', owner.id),
        // An empty list would keep SQLite from using the indexes.
        ...(groups.length === 0 ? [] : [eb('group_id', 'in', groups)]),
      ]),
    )
    .orderBy('id');
  const rows = await (slug === undefined ? query : query.where('slug', '=', slug)).execute();
  const isOwn = (row: Integration) => (owner.kind === 'project' ? row.project_id : row.group_id) === owner.id;
  const distance = (row: Integration) => (isOwn(row) ? -1 : groups.indexOf(row.group_id ?? 0));
  const nearest = new Map<string, Integration>();
  for (const row of rows) {
    const known = nearest.get(row.slug);
    if (known === undefined || distance(row) < distance(known)) nearest.set(row.slug, row);
  }
  return [...nearest.values()].map((row) => ({ row, inherited: !isOwn(row) }));
}

/** What holds of one kind; undefined where nobody ever set it up, or the group above has switched it off. */
export async function effectiveIntegration(
  db: Db,
  owner: IntegrationOwner,
  slug: string,
): Promise<EffectiveIntegration | undefined> {
  const [found] = await effectiveIntegrations(db, owner, slug);
  return found?.inherited && found.row.active === 0 ? undefined : found;
}

/** What a place inherits of a kind as long as it has none of its own. */
export async function inheritable(db: Db, owner: IntegrationOwner, slug: string): Promise<Integration | undefined> {
  const groups = await groupsAbove(db, owner);
  const rows = await db
    .selectFrom('integrations')
    .selectAll()
    .where('group_id', 'in', groups)
    .where('slug', '=', slug)
    .execute();
  return rows.sort((a, b) => groups.indexOf(a.group_id ?? 0) - groups.indexOf(b.group_id ?? 0))[0];
}

/** The place's own row of a kind. */
export const ownIntegration = (
  db: Db,
  { kind, id }: IntegrationOwner,
  slug: string,
): Promise<Integration | undefined> =>
  db
    .selectFrom('integrations')
    .selectAll()
    .where(kind === 'project' ? 'project_id' : 'group_id', '=', id)
    .where('slug', '=', slug)
    .executeTakeFirst();
