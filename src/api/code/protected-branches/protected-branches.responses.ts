import { Type } from 'typebox';
import { AccessLevel } from '../protected-refs/protected-refs.responses.ts';

/** Protected branch (silent in the specification). */
export const ProtectedBranch = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(AccessLevel),
  merge_access_levels: Type.Array(AccessLevel),
  unprotect_access_levels: Type.Array(AccessLevel),
  allow_force_push: Type.Boolean(),
  code_owner_approval_required: Type.Boolean(),
  inherited: Type.Boolean({ description: 'Whether the protection is inherited from a group.' }),
});
