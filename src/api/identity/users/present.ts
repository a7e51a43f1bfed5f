import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../db/schema.ts';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { usersById } from './basic.ts';
import { type AdminFacts, presentUserProfile, presentUserPublic, presentUserWithAdmin } from './entity.ts';
import { followFacts } from './follows.ts';
import { identitiesOf } from './identities.ts';

const countPersonalProjects = async (db: Db, ids: readonly number[]): Promise<Map<number, number>> => {
  const rows = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select(['n.owner_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('n.owner_id', 'in', ids)
    .groupBy('n.owner_id')
    .execute();
  return new Map(rows.map(({ owner_id, count }) => [owner_id!, Number(count)]));
};

async function namespaceIds(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.selectFrom('namespaces').select(['id', 'owner_id']).where('owner_id', 'in', ids).execute();
  return new Map(rows.map(({ id, owner_id }) => [owner_id!, id]));
}

async function customAttributes(db: Db, ids: readonly number[]) {
  const rows = await db
    .selectFrom('custom_attributes')
    .select(['source_id', 'key', 'value'])
    .where('source_type', '=', 'user')
    .where('source_id', 'in', ids)
    .orderBy('key')
    .execute();
  const byUser = new Map<number, { key: string; value: string }[]>(ids.map((id) => [id, []]));
  for (const { source_id, key, value } of rows) byUser.get(source_id)!.push({ key, value });
  return byUser;
}

/** Users as administrators see them, with a fixed number of queries. */
export async function presentForAdmin(
  deps: Deps,
  users: readonly User[],
  options: { withCustomAttributes?: boolean | undefined; viewer?: User } = {},
) {
  if (users.length === 0) return [];
  const { db } = deps;
  const ids = users.map(({ id }) => id);
  const projects = await countPersonalProjects(db, ids);
  const namespaces = await namespaceIds(db, ids);
  const creators = await usersById(
    db,
    users.map(({ created_by_id }) => created_by_id),
  );
  const follows = await followFacts(db, ids, options.viewer?.id ?? null);
  const identities = await identitiesOf(db, ids);
  const attributes = options.withCustomAttributes ? await customAttributes(db, ids) : undefined;
  return users.map((user) => {
    const own = attributes?.get(user.id);
    const facts: AdminFacts = {
      personalProjects: projects.get(user.id) ?? 0,
      follows: follows(user.id),
      identities: identities.get(user.id)!,
      namespaceId: namespaces.get(user.id) ?? null,
      createdBy: user.created_by_id === null ? null : (creators.get(user.created_by_id) ?? null),
      ...(own === undefined ? {} : { customAttributes: own }),
    };
    return presentUserWithAdmin(deps, user, facts);
  });
}

/** One user as administrators see him. */
export async function presentOneForAdmin(
  deps: Deps,
  user: User,
  options: { withCustomAttributes?: boolean | undefined; viewer?: User } = {},
) {
  const [shown] = await presentForAdmin(deps, [user], options);
  return shown!;
}

/** The caller as he sees himself. */
export async function presentSelf(deps: Deps, user: User) {
  const projects = await countPersonalProjects(deps.db, [user.id]);
  const follows = await followFacts(deps.db, [user.id], user.id);
  const identities = await identitiesOf(deps.db, [user.id]);
  return presentUserPublic(deps, user, {
    personalProjects: projects.get(user.id) ?? 0,
    identities: identities.get(user.id)!,
    follows: follows(user.id),
  });
}

/** A user as another one sees him; a private profile shows less. */
export async function presentForOther(deps: Deps, caller: Caller, user: User) {
  const full = user.private_profile === 0 || caller.user?.id === user.id || caller.admin;
  const follows = full ? (await followFacts(deps.db, [user.id], caller.user?.id ?? null))(user.id) : null;
  return presentUserProfile(deps, user, follows);
}
