import type { Id } from '../columns.ts';

/** Who may do what with them: roles alone. */
export interface GroupProtectedBranchLevelsTable {
  id: Id;
  group_protected_branch_id: number;
  action: 'push' | 'merge' | 'unprotect';
  access_level: number;
}
