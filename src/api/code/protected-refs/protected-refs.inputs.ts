import { type Static, type TProperties, Type } from 'typebox';
import { IntegerEnum, ofPlan } from '../../../http/http.schema.ts';
import type { AccessLevel } from './protected-refs.responses.ts';

/** Roles that can get access: no one, Developers, Maintainers, administrators. */
export const ROLES = [0, 30, 40, 60] as const;

/** Roles that can be allowed to unprotect; it cannot be no one. */
export const UNPROTECT_ROLES = [30, 40, 60] as const;

export const DEFAULT_ROLE = 40;

export type AccessLevelJson = Static<typeof AccessLevel>;

const MAX_ENTRIES = 50;

/** A list of access levels: each entry names a role, user, group or deploy key. */
export const allowedList = (roles: readonly (0 | 30 | 40 | 60)[], extra: TProperties = {}) =>
  Type.Optional(
    Type.Array(
      Type.Object({
        access_level: Type.Optional(IntegerEnum(roles)),
        user_id: Type.Optional(Type.Integer()),
        group_id: Type.Optional(Type.Integer()),
        ...extra,
      }),
      { maxItems: MAX_ENTRIES },
    ),
  );

export const deployKey = { deploy_key_id: Type.Optional(Type.Integer()) };

/** Attributes of entries that change a list: the id of an access level, and whether to remove it. */
export const changing = {
  id: Type.Optional(Type.Integer({ description: 'Id of the access level to change; a new level when absent.' })),
  _destroy: Type.Optional(Type.Boolean({ description: 'Whether to remove the access level.' })),
};

/** An entry of a list of access levels, of any kind. */
export interface AllowedEntry {
  id?: number;
  _destroy?: boolean;
  access_level?: number;
  user_id?: number;
  group_id?: number;
  deploy_key_id?: number;
}

/** Name of a protected ref in requests. */
export const ProtectedName = Type.String({
  maxLength: 255,
  description: 'Name, or a wildcard in which `*` stands for any text. No ref of that name needs to exist.',
});

/** Attributes of protected branches of projects and groups, in addition to the lists of access levels. */
export const newBranchProtection = {
  name: ProtectedName,
  push_access_level: Type.Optional(IntegerEnum(ROLES, { description: 'Default 40.' })),
  merge_access_level: Type.Optional(IntegerEnum(ROLES, { description: 'Default 40.' })),
  unprotect_access_level: Type.Optional(IntegerEnum(UNPROTECT_ROLES, { description: 'Default 40.' })),
  allow_force_push: Type.Optional(Type.Boolean({ default: false })),
  code_owner_approval_required: Type.Optional(Type.Boolean({ default: false, ...ofPlan('premium') })),
};
