import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Status of the contributions of a user of another server (silent parts 2.4.11). */
export const SOURCE_USER_STATUS = {
  pending_reassignment: 0,
  awaiting_approval: 1,
  reassignment_in_progress: 2,
  rejected: 3,
  failed: 4,
  completed: 5,
  keep_as_placeholder: 6,
} as const;
export type SourceUserStatus = (typeof SOURCE_USER_STATUS)[keyof typeof SOURCE_USER_STATUS];

/** Users of other servers with imported contributions. */
export interface ImportSourceUsersTable {
  id: Id;
  /** The top-level group that contains them. */
  namespace_id: number;
  source_hostname: string;
  import_type: string;
  source_user_identifier: string;
  source_username: string | null;
  source_name: string | null;
  /** The placeholder user here. */
  placeholder_user_id: number | null;
  reassign_to_user_id: number | null;
  reassigned_by_user_id: number | null;
  status: Defaulted<SourceUserStatus>;
  /** Token with which the chosen user accepts or rejects the contributions. */
  reassignment_token: string | null;
  reassignment_error: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ImportSourceUser = Selectable<ImportSourceUsersTable>;

export const importSourceUsersOwnership: Ownership<ImportSourceUsersTable> = { plain: ['import_type'] };
