import { type Static, type TProperties, Type } from 'typebox';
import { IntegerEnum, ofPlan, pagination } from '../../../http/http.schema.ts';
import {
  allowedList,
  changing,
  deployKey,
  newBranchProtection,
  ROLES,
  UNPROTECT_ROLES,
} from '../protected-refs/protected-refs.inputs.ts';
import type { ProtectedBranch } from './protected-branches.responses.ts';

export type ProtectedBranchJson = Static<typeof ProtectedBranch>;

export const ListProtectedBranches = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Only protected branches whose name contains this text.' }),
  ),
  ...pagination,
});

export const BranchPattern = { name: Type.String({ description: 'URL-encoded name or wildcard.' }) };

const allowed = (extra: TProperties = {}) => ({
  allowed_to_push: allowedList(ROLES, { ...deployKey, ...extra }),
  allowed_to_merge: allowedList(ROLES, extra),
  allowed_to_unprotect: allowedList(UNPROTECT_ROLES, extra),
});

export const CreateProtectedBranch = Type.Object({
  ...newBranchProtection,
  ...allowed(),
});

export type CreateProtectedBranchInput = Static<typeof CreateProtectedBranch>;

export const UpdateProtectedBranch = Type.Object({
  allow_force_push: Type.Optional(Type.Boolean()),
  code_owner_approval_required: Type.Optional(Type.Boolean(ofPlan('premium'))),
  unprotect_access_level: Type.Optional(IntegerEnum(UNPROTECT_ROLES)),
  ...allowed(changing),
});

export type UpdateProtectedBranchInput = Static<typeof UpdateProtectedBranch>;
