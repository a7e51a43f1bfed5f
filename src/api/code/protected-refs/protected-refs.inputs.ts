import { type Static, type TProperties, Type } from 'typebox';
import { IntegerEnum, ofPlan } from '../../../http/http.schema.ts';
import type { AccessLevel } from './protected-refs.responses.ts';

/** Roles that can be let in: nobody, Developers, Maintainers, administrators. */
export const ROLES = [0, 30, 40, 60] as const;

/** Roles that can be let take a protection away; somebody always has to be. */
export const UNPROTECT_ROLES = [30, 40, 60] as const;

export const DEFAULT_ROLE = 40;

export type AccessLevelJson = Static<typeof AccessLevel>;

const MAX_ENTRIES = 50;

/** A list of who is let in: each entry names a role, a user, a group or a deploy key. */
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

/** Of entries that change a list: the level that is meant, and whether it goes. */
export const changing = {
  id: Type.Optional(Type.Integer({ description: 'The level to change; a new one when absent.' })),
  _destroy: Type.Optional(Type.Boolean({ description: 'Removes the level.' })),
};

/** An entry of such a list, whatever the list. */
export interface AllowedEntry {
  id?: number;
  _destroy?: boolean;
  access_level?: number;
  user_id?: number;
  group_id?: number;
  deploy_key_id?: number;
}

/** Name of a protected ref as it is given. */
export const ProtectedName = Type.String({
  maxLength: 255,
  description: 'Name, or a pattern in which `*` stands for any text. Nothing of that name needs to exist.',
});

/** What a branch is protected by, in a project and in a group, beside lists of who is let in. */
export const newBranchProtection = {
  name: ProtectedName,
  push_access_level: Type.Optional(IntegerEnum(ROLES, { description: 'Default 40.' })),
  merge_access_level: Type.Optional(IntegerEnum(ROLES, { description: 'Default 40.' })),
  unprotect_access_level: Type.Optional(IntegerEnum(UNPROTECT_ROLES, { description: 'Default 40.' })),
  allow_force_push: Type.Optional(Type.Boolean({ default: false })),
  code_owner_approval_required: Type.Optional(Type.Boolean({ default: false, ...ofPlan('premium') })),
};
