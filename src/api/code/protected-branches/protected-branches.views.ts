import type { Protection } from '../../../repositories/repository.protections.ts';
import { presentLevels, type SubjectNames } from '../protected-refs/protected-refs.views.ts';
import type { ProtectedBranchJson } from './protected-branches.inputs.ts';

/** Renders a protected branch. */
export const presentProtectedBranch = (protection: Protection, names: SubjectNames): ProtectedBranchJson => ({
  id: protection.id,
  name: protection.name,
  push_access_levels: presentLevels(protection, 'push', names, true),
  merge_access_levels: presentLevels(protection, 'merge', names, false),
  unprotect_access_levels: presentLevels(protection, 'unprotect', names, false),
  allow_force_push: protection.allow_force_push === 1,
  code_owner_approval_required: protection.code_owner_approval_required === 1,
  inherited: protection.inherited === true,
});
