import type { Selectable } from 'kysely';
import type { Visibility } from '../../core/access-levels.ts';
import type { Bit, Defaulted, DefaultedJson, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Personal snippets (`project_id` null) and those of projects; each is a git repository of its own. */
export interface SnippetsTable {
  id: Id;
  project_id: number | null;
  author_id: number;
  title: string;
  description: string | null;
  visibility: Visibility;
  /** Paths of the files on the default branch, in order; moved with the refs. */
  file_names: DefaultedJson<string[]>;
  repository_storage: string;
  disk_path: string;
  repository_read_only: Defaulted<Bit>;
  /** Bytes, kept by background work for those of projects. */
  repository_size: Defaulted<number>;
  /** Of the request that made it, for administrators. */
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
