import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { IssuableType } from './tables.kinds.ts';

export type TodoAction =
  | 'assigned'
  | 'mentioned'
  | 'directly_addressed'
  | 'build_failed'
  | 'marked'
  | 'approval_required'
  | 'unmergeable'
  | 'review_requested';

/** To-do items of users. */
export interface TodosTable {
  id: Id;
  user_id: number;
  /** The author, possibly the user themselves. */
  author_id: number;
  project_id: number;
  target_type: IssuableType | 'Commit';
  /** Null for commits. */
  target_id: number | null;
  commit_id: string | null;
  /** The comment behind it. */
  note_id: number | null;
  action: TodoAction;
  state: Defaulted<'pending' | 'done'>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Todo = Selectable<TodosTable>;

export const todosOwnership: Ownership<TodosTable> = {
  belongsTo: [{ type: 'target_type', id: 'target_id', goesWith: ['Issue', 'MergeRequest'] }],
};
