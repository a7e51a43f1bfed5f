import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../db/prepared.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { billableAmong } from '../../../licence/billable-users.ts';
import { userBasic, usersById } from './users.basic.ts';
import { type FollowFacts, followFacts } from './users.follows.ts';
import { type Identity, identitiesOf } from './users.identities.ts';
import type { UserProfile, UserPublic, UserWithAdmin } from './users.responses.ts';

/** `Engineer at Example`, or whichever part is set. */
function workInformation({ job_title, organization }: User): string | null {
  if (job_title !== '' && organization !== '') return `${job_title} at ${organization}`;
  return job_title || organization || null;
}

/** @param follows null for callers who may not see a private profile */
export const presentUserProfile = (
  deps: Deps,
  user: User,
  follows: FollowFacts | null,
): Static<typeof UserProfile> => ({
  ...userBasic(deps, user),
  ...(follows === null ? {} : { created_at: user.created_at }),
  bio: user.bio,
  location: user.location,
  skype: user.skype,
  linkedin: user.linkedin,
  twitter: user.twitter,
  discord: user.discord,
  website_url: user.website_url,
  github: user.github,
  job_title: user.job_title,
  pronouns: user.pronouns,
  organization: user.organization,
  bot: !['human', 'ghost', 'placeholder'].includes(user.kind),
  work_information: workInformation(user),
  ...(follows === null
    ? {}
    : { followers: follows.followers, following: follows.following, is_followed: follows.isFollowed }),
  local_time: null,
});

/** Profile of a user without followers, as shown in jobs. */
export const presentUserInfo = (deps: Deps, user: User): Static<typeof UserProfile> => ({
  ...presentUserProfile(deps, user, null),
  ...(user.private_profile === 1 ? {} : { created_at: user.created_at }),
});

/** Data of a user's own view besides the row. */
export interface OwnFacts {
  /** Number of projects in the personal namespace. */
  personalProjects: number;
  identities: Identity[];
  follows: FollowFacts;
}

export const presentUserPublic = (
  deps: Deps,
  user: User,
  { personalProjects, identities, follows }: OwnFacts,
): Static<typeof UserPublic> => ({
  ...presentUserProfile(deps, user, follows),
  last_sign_in_at: user.last_sign_in_at,
  confirmed_at: user.confirmed_at,
  last_activity_on: user.last_activity_on,
  email: user.email,
  theme_id: user.theme_id,
  color_scheme_id: user.color_scheme_id,
  projects_limit: user.projects_limit,
  current_sign_in_at: user.current_sign_in_at,
  identities,
  // Clients that know a single identity read the first one here.
  ...identities[0],
  can_create_group: user.can_create_group === 1,
  // There are no organizations.
  can_create_organization: false,
  can_create_project: user.projects_limit > personalProjects,
  two_factor_enabled: false,
  external: user.external === 1,
  private_profile: user.private_profile === 1,
  commit_email: user.commit_email ?? user.email,
  preferred_language: user.preferred_language,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  scim_identities: [],
});

/** Data of an administrator's view besides the row. */
export interface AdminFacts extends OwnFacts {
  namespaceId: number | null;
  createdBy: User | null;
  isBillable: boolean;
  customAttributes?: { key: string; value: string }[];
}

export const presentUserWithAdmin = (deps: Deps, user: User, facts: AdminFacts): Static<typeof UserWithAdmin> => ({
  ...presentUserPublic(deps, user, facts),
  is_admin: user.admin === 1,
  current_sign_in_ip: user.current_sign_in_ip,
  last_sign_in_ip: user.last_sign_in_ip,
  note: user.note,
  namespace_id: facts.namespaceId,
  created_by: facts.createdBy === null ? null : userBasic(deps, facts.createdBy),
  using_license_seat: facts.isBillable,
  is_auditor: user.auditor === 1,
  provisioned_by_group_id: user.provisioned_by_group_id,
  enterprise_group_id: null,
  enterprise_group_associated_at: null,
  ...(facts.customAttributes === undefined ? {} : { custom_attributes: facts.customAttributes }),
});

const projectsOfOwners = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select(['n.owner_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('n.owner_id', 'in', ids)
    .groupBy('n.owner_id'),
);

const countPersonalProjects = async (db: Db, ids: readonly number[]): Promise<Map<number, number>> => {
  const rows = await projectsOfOwners(db, { ids });
  return new Map(rows.map(({ owner_id, count }) => [owner_id!, Number(count)]));
};

const namespacesOfOwners = prepared((db, { ids }: Ids) =>
  db.selectFrom('namespaces').select(['id', 'owner_id']).where('owner_id', 'in', ids),
);

async function namespaceIds(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await namespacesOfOwners(db, { ids });
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

/** Presents users to administrators, in a fixed number of queries. */
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
  const creators = await usersById(db, pluck(users, 'created_by_id'));
  const follows = await followFacts(db, ids, options.viewer?.id ?? null);
  const identities = await identitiesOf(db, ids);
  const billable = await billableAmong(deps, ids);
  const attributes = options.withCustomAttributes ? await customAttributes(db, ids) : undefined;
  return users.map((user) => {
    const own = attributes?.get(user.id);
    const facts: AdminFacts = {
      personalProjects: projects.get(user.id) ?? 0,
      follows: follows(user.id),
      identities: identities.get(user.id)!,
      namespaceId: namespaces.get(user.id) ?? null,
      createdBy: user.created_by_id === null ? null : (creators.get(user.created_by_id) ?? null),
      isBillable: billable.has(user.id),
      ...(own === undefined ? {} : { customAttributes: own }),
    };
    return presentUserWithAdmin(deps, user, facts);
  });
}

/** Presents one user to administrators. */
export async function presentOneForAdmin(
  deps: Deps,
  user: User,
  options: { withCustomAttributes?: boolean | undefined; viewer?: User } = {},
) {
  const [shown] = await presentForAdmin(deps, [user], options);
  return shown!;
}

/** Presents the caller to themselves. */
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

/** Presents a user to another one; a private profile has fewer fields. */
export async function presentForOther(deps: Deps, caller: Caller, user: User) {
  const full = user.private_profile === 0 || caller.user?.id === user.id || caller.admin;
  const follows = full ? (await followFacts(deps.db, [user.id], caller.user?.id ?? null))(user.id) : null;
  return presentUserProfile(deps, user, follows);
}
