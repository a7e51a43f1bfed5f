import type { Id } from '../columns.ts';

/** Access levels of group-level branch protections: roles only. */
export interface GroupProtectedBranchLevelsTable {
  id: Id;
  group_protected_branch_id: number;
  action: 'push' | 'merge' | 'unprotect';
  access_level: number;
}
