import type { Selectable } from 'kysely';
import type { Id } from '../columns.ts';

/** Access levels of protected refs: a role, a user, a group or a deploy key. */
export interface ProtectedRefLevelsTable {
  id: Id;
  protected_ref_id: number;
  action: 'push' | 'merge' | 'unprotect' | 'create';
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
  deploy_key_id: number | null;
}
export type ProtectedRefLevel = Selectable<ProtectedRefLevelsTable>;
