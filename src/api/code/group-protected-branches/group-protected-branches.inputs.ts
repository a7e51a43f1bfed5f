import { type Static, type TProperties, Type } from 'typebox';
import { IntegerEnum } from '../../../http/http.schema.ts';
import { changing, newBranchProtection, ROLES, UNPROTECT_ROLES } from '../protected-refs/protected-refs.inputs.ts';

const MAX_ENTRIES = 50;

const roleList = (roles: readonly (0 | 30 | 40 | 60)[], extra: TProperties) =>
  Type.Optional(
    Type.Array(
      Type.Object({
        access_level: Type.Optional(
          IntegerEnum(roles, {
            description: 'Role. Groups cannot grant access to single users, groups or deploy keys.',
          }),
        ),
        ...extra,
      }),
      { maxItems: MAX_ENTRIES },
    ),
  );

const allowed = (extra: TProperties = {}) => ({
  allowed_to_push: roleList(ROLES, extra),
  allowed_to_merge: roleList(ROLES, extra),
  allowed_to_unprotect: roleList(UNPROTECT_ROLES, extra),
});

export const CreateGroupProtectedBranch = Type.Object({
  ...newBranchProtection,
  ...allowed(),
});

export type CreateInput = Static<typeof CreateGroupProtectedBranch>;

export const UpdateGroupProtectedBranch = Type.Object({
  allow_force_push: Type.Optional(Type.Boolean()),
  code_owner_approval_required: Type.Optional(Type.Boolean()),
  ...allowed(changing),
});

export type UpdateInput = Static<typeof UpdateGroupProtectedBranch>;
