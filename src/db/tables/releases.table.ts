import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Releases of projects, each of a tag. */
export interface ReleasesTable {
  id: Id;
  project_id: number;
  /** Name of the tag; unique within the project. */
  tag: string;
  /** Null where it is called like its tag. */
  name: string | null;
  description: string | null;
  /** Commit that the tag named when the release was made; null for a tag of no commit. */
  sha: string | null;
  /** That commit, so that lists need not ask git; null where it is large, or there is none. */
  commit_object: string | null;
  author_id: number | null;
  released_at: Timestamp;
  /** When its evidence is to be collected; null once it was, and where none is to be. */
  evidence_due_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Release = Selectable<ReleasesTable>;
