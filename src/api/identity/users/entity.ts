import { type Static, Type } from 'typebox';
import type { User } from '../../../db/tables/users.ts';
import type { Deps } from '../../../deps.ts';
import { Day, Instant, Nullable } from '../../../http/schema.ts';
import { UserBasic, userBasic, userBasicFields } from './basic.ts';
import type { FollowFacts } from './follows.ts';
import type { Identity } from './identities.ts';

const profile = {
  created_at: Type.Optional(Instant()),
  bio: Type.String(),
  location: Type.String(),
  linkedin: Type.String(),
  twitter: Type.String(),
  discord: Type.String(),
  website_url: Type.String(),
  github: Type.String(),
  job_title: Type.String(),
  pronouns: Nullable(Type.String()),
  organization: Type.String(),
  bot: Type.Boolean(),
  work_information: Nullable(Type.String()),
  followers: Type.Optional(Type.Integer()),
  following: Type.Optional(Type.Integer()),
  is_followed: Type.Optional(Type.Boolean()),
  local_time: Nullable(Type.String()),
};

/** A user's profile as other users see it; what a private profile hides is left out. */
export const UserProfile = Type.Object({ ...userBasicFields, ...profile });

/** "Engineer at Example", or the part that is known. */
function workInformation({ job_title, organization }: User): string | null {
  if (job_title !== '' && organization !== '') return `${job_title} at ${organization}`;
  return job_title || organization || null;
}

/** @param follows null hides what a private profile keeps to its user and administrators */
export const presentUserProfile = (
  deps: Deps,
  user: User,
  follows: FollowFacts | null,
): Static<typeof UserProfile> => ({
  ...userBasic(deps, user),
  ...(follows === null ? {} : { created_at: user.created_at }),
  bio: user.bio,
  location: user.location,
  linkedin: user.linkedin,
  twitter: user.twitter,
  discord: user.discord,
  website_url: user.website_url,
  github: user.github,
  job_title: user.job_title,
  pronouns: user.pronouns,
  organization: user.organization,
  bot: user.kind !== 'human' && user.kind !== 'ghost',
  work_information: workInformation(user),
  ...(follows === null
    ? {}
    : { followers: follows.followers, following: follows.following, is_followed: follows.isFollowed }),
  local_time: null,
});

const own = {
  last_sign_in_at: Nullable(Instant()),
  confirmed_at: Nullable(Instant()),
  last_activity_on: Nullable(Day()),
  email: Type.String(),
  theme_id: Nullable(Type.Integer()),
  color_scheme_id: Type.Integer(),
  projects_limit: Type.Integer(),
  current_sign_in_at: Nullable(Instant()),
  identities: Type.Array(Type.Object({ provider: Type.String(), extern_uid: Type.String() })),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  commit_email: Nullable(Type.String()),
  preferred_language: Type.String(),
  shared_runners_minutes_limit: Nullable(Type.Integer()),
  extra_shared_runners_minutes_limit: Nullable(Type.Integer()),
  scim_identities: Type.Array(Type.Object({ extern_uid: Type.String() })),
};

/** A user as the user himself sees it. */
export const UserPublic = Type.Object({ ...userBasicFields, ...profile, ...own });

/** What a user's own view needs beside the row. */
export interface OwnFacts {
  /** Projects in the personal namespace. */
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
  can_create_group: user.can_create_group === 1,
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

const customAttributes = Type.Array(Type.Object({ key: Type.String(), value: Type.String() }));
const admin = {
  is_admin: Type.Boolean(),
  note: Nullable(Type.String()),
  namespace_id: Nullable(Type.Integer()),
  created_by: Nullable(UserBasic),
  using_license_seat: Type.Boolean(),
  is_auditor: Type.Boolean(),
  provisioned_by_group_id: Nullable(Type.Integer()),
  enterprise_group_id: Nullable(Type.Integer()),
  enterprise_group_associated_at: Nullable(Instant()),
  custom_attributes: Type.Optional(customAttributes),
};

/** A user as administrators see it. */
export const UserWithAdmin = Type.Object({ ...userBasicFields, ...profile, ...own, ...admin });

/** What an administrator's view needs beside the user's row. */
export interface AdminFacts extends OwnFacts {
  namespaceId: number | null;
  createdBy: User | null;
  customAttributes?: { key: string; value: string }[];
}

export const presentUserWithAdmin = (deps: Deps, user: User, facts: AdminFacts): Static<typeof UserWithAdmin> => ({
  ...presentUserPublic(deps, user, facts),
  is_admin: user.admin === 1,
  note: user.note,
  namespace_id: facts.namespaceId,
  created_by: facts.createdBy === null ? null : userBasic(deps, facts.createdBy),
  using_license_seat: user.kind === 'human' && user.state === 'active',
  is_auditor: user.auditor === 1,
  provisioned_by_group_id: user.provisioned_by_group_id,
  enterprise_group_id: null,
  enterprise_group_associated_at: null,
  ...(facts.customAttributes === undefined ? {} : { custom_attributes: facts.customAttributes }),
});
