import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

export interface ApprovalsTable {
  id: Id;
  merge_request_id: number;
  user_id: number;
  /** Head of the merge request at the time of approval. */
  head_sha: string;
  created_at: Timestamp;
}
export type Approval = Selectable<ApprovalsTable>;
