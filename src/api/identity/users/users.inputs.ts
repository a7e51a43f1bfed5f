import { type Static, Type } from 'typebox';
import { Enum, Instant, Nullable, ofPlan, optional, pagination, Secret, Upload } from '../../../http/http.schema.ts';

export const ORDERS = ['id', 'name', 'username', 'created_at', 'updated_at'] as const;

export const userId = Type.Object({ id: Type.Integer({ description: 'Id of the user.' }) });

/** Filters of `GET /users` (part 1, section 4); those of `ADMIN_FILTERS` work for administrators only. */
export const userFilters = {
  username: Type.String({ description: 'Exact user name; case does not matter.' }),
  public_email: Type.String(),
  search: Type.String({ description: 'Part of the name or user name, or the full e-mail address.' }),
  active: Type.Boolean(),
  blocked: Type.Boolean(),
  humans: Type.Boolean(),
  external: Type.Boolean(),
  auditors: Type.Boolean(),
  admins: Type.Boolean(),
  exclude_active: Type.Boolean(),
  exclude_external: Type.Boolean(),
  exclude_humans: Type.Boolean(),
  exclude_internal: Type.Boolean(),
  without_project_bots: Type.Boolean(),
  without_projects: Type.Boolean(),
  two_factor: Enum(['enabled', 'disabled']),
  created_after: Instant(),
  created_before: Instant(),
  extern_uid: Type.String({ description: 'Id of the user at `provider`; administrators only.' }),
  provider: Type.String({ description: 'Name of the identity provider; administrators only.' }),
  skip_ldap: Type.Boolean(),
  custom_attributes: Type.Record(Type.String(), Type.String()),
};

const Filters = optional(userFilters);

export type UserFilters = Static<typeof Filters>;

/** Filters and orders for administrators only. */
export const ADMIN_FILTERS = [
  'external',
  'created_after',
  'created_before',
  'two_factor',
  'without_projects',
  'admins',
  'auditors',
  'exclude_external',
  'custom_attributes',
] as const;

export const listUsers = Type.Object({
  ...Filters.properties,
  order_by: Type.Optional(Enum(ORDERS)),
  sort: Type.Optional(Enum(['asc', 'desc'])),
  with_custom_attributes: Type.Optional(Type.Boolean()),
  pagination: Type.Optional(Enum(['keyset', 'legacy'])),
  cursor: Type.Optional(Type.String({ description: 'Start of a keyset page, taken from the `Link` header.' })),
  ...pagination,
});

/** Attributes that a new user and a change share. */
const attributes = {
  admin: Type.Boolean(),
  auditor: Type.Boolean(ofPlan('premium')),
  avatar: Upload({ description: 'Image of at most 200 KiB; an empty string removes the avatar.' }),
  bio: Type.String(),
  can_create_group: Type.Boolean(),
  color_scheme_id: Type.Integer({ minimum: 1, maximum: 100 }),
  commit_email: Nullable(Type.String()),
  discord: Type.String(),
  extern_uid: Type.String({ description: 'Id of the user at `provider`; requires `provider`.' }),
  external: Type.Boolean(),
  github: Type.String(),
  job_title: Type.String(),
  linkedin: Type.String(),
  location: Type.String(),
  note: Nullable(Type.String({ maxLength: 65_536 })),
  organization: Type.String(),
  private_profile: Type.Boolean(),
  projects_limit: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  pronouns: Nullable(Type.String()),
  provider: Type.String({ description: 'Name of the identity provider of `extern_uid`.' }),
  public_email: Nullable(Type.String()),
  skype: Type.String(),
  theme_id: Nullable(Type.Integer({ minimum: 1, maximum: 100 })),
  twitter: Type.String(),
  view_diffs_file_by_file: Type.Boolean({
    description: 'Preference: show one file at a time in diffs.',
  }),
  website_url: Type.String(),
};

export const newUser = Type.Object({
  email: Type.String(),
  name: Type.String(),
  username: Type.String(),
  password: Type.Optional(Secret()),
  reset_password: Type.Optional(Type.Boolean()),
  force_random_password: Type.Optional(Type.Boolean()),
  skip_confirmation: Type.Optional(Type.Boolean()),
  ...optional(attributes).properties,
});

export type NewUser = Static<typeof newUser>;

export const changedUser = optional({
  email: Type.String(),
  name: Type.String(),
  username: Type.String(),
  password: Secret(),
  skip_reconfirmation: Type.Boolean(),
  ...attributes,
});

export type ChangedUser = Static<typeof changedUser>;
