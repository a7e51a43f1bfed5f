import type { Selectable } from 'kysely';
import type { Visibility } from '../../core/access-levels.ts';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Personal snippets (`project_id` null) and project snippets; each has a git repository of its own. */
export interface SnippetsTable {
  id: Id;
  project_id: number | null;
  author_id: number;
  title: string;
  description: string | null;
  visibility: Visibility;
  /** Sorted paths of the files on the default branch; updated with the refs. */
  file_names: DefaultedJson<string[]>;
  repository_storage: string;
  disk_path: string;
  repository_read_only: Defaulted<Bit>;
  /** Bytes, updated by background jobs for project snippets. */
  repository_size: Defaulted<number>;
  /** User agent of the request that created it, for administrators. */
  user_agent: string | null;
  ip_address: string | null;
  user_notes_count: Defaulted<number>;
  upvotes: Defaulted<number>;
  downvotes: Defaulted<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Snippet = Selectable<SnippetsTable>;

export const snippetsOwnership: Ownership<SnippetsTable> = { called: 'Snippet' };
