import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Protected branches of a group, which apply to every project of its tree. */
export interface GroupProtectedBranchesTable {
  id: Id;
  group_id: number;
  /** A name, or a pattern with `*`. */
  name: string;
  allow_force_push: Defaulted<Bit>;
  code_owner_approval_required: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type GroupProtectedBranch = Selectable<GroupProtectedBranchesTable>;
