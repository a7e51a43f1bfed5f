import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Protected branches and protected tags. */
export interface ProtectedRefsTable {
  id: Id;
  project_id: number;
  kind: 'branch' | 'tag';
  /** A name, or a pattern with `*`. */
  name: string;
  allow_force_push: Defaulted<Bit>;
  code_owner_approval_required: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ProtectedRef = Selectable<ProtectedRefsTable>;
