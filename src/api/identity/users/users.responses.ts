import { Type } from 'typebox';
import { Day, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic, userBasicFields } from './users.basic.ts';

const profile = {
  created_at: Type.Optional(Instant()),
  bio: Type.String(),
  location: Type.String(),
  skype: Type.String(),
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

/** Profile of a user as other users see it; a private profile has fewer fields. */
export const UserProfile = Type.Object({ ...userBasicFields, ...profile });

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
  provider: Type.Optional(Type.String()),
  extern_uid: Type.Optional(Type.String()),
  can_create_group: Type.Boolean(),
  can_create_organization: Type.Boolean(),
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

/** A user as they see themselves. */
export const UserPublic = Type.Object({ ...userBasicFields, ...profile, ...own });

export const customAttributes = Type.Array(Type.Object({ key: Type.String(), value: Type.String() }));

export const admin = {
  is_admin: Type.Boolean(),
  current_sign_in_ip: Nullable(Type.String()),
  last_sign_in_ip: Nullable(Type.String()),
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
