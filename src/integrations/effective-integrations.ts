import { lineageIds } from '../access/access.membership.ts';
import type { Db } from '../db/db.schema.ts';
import type { Integration } from '../db/tables/integrations.table.ts';

/** The project or group of integrations. */
export interface IntegrationOwner {
  kind: 'project' | 'group';
  id: number;
}

/** An integration in force for a project or group. */
export interface EffectiveIntegration {
  row: Integration;
  /** Whether it is inherited from an ancestor group. */
  inherited: boolean;
}

/** Ids of the ancestor groups of a project or group, nearest first. */
async function groupsAbove(db: Db, { kind, id }: IntegrationOwner): Promise<number[]> {
  const query = db.selectFrom('namespaces').select('lineage');
  const namespace = await (kind === 'group'
    ? query.where('id', '=', id)
    : query.where('id', '=', (eb) => eb.selectFrom('projects').select('namespace_id').where('projects.id', '=', id))
  ).executeTakeFirst();
  const ids = namespace === undefined ? [] : lineageIds(namespace.lineage).reverse();
  return kind === 'group' ? ids.filter((each) => each !== id) : ids;
}

/**
 * The integrations in force for a project or group, one per kind: its own, else that of the nearest ancestor group.
 * Changes of a group thus take effect immediately in all descendants.
 * @param slug slug of one kind; all when absent
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
        // With an empty list, SQLite would not use the indexes.
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

/** The integration of one kind in force; undefined if it was never set up, or disabled by the ancestor group. */
export async function effectiveIntegration(
  db: Db,
  owner: IntegrationOwner,
  slug: string,
): Promise<EffectiveIntegration | undefined> {
  const [integration] = await effectiveIntegrations(db, owner, slug);
  return integration?.inherited && integration.row.active === 0 ? undefined : integration;
}

/** The integration of a kind that a project or group inherits without its own. */
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

/** The own integration of a kind. */
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
