import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Releases of projects, each of a tag. */
export interface ReleasesTable {
  id: Id;
  project_id: number;
  /** Name of the tag; unique within the project. */
  tag: string;
  /** Null if it is the same as the tag. */
  name: string | null;
  description: string | null;
  /** Commit of the tag when the release was created; null if the tag does not point to a commit. */
  sha: string | null;
  /** The serialized commit, so that lists need no git; null if it is large, or there is none. */
  commit_object: string | null;
  author_id: number | null;
  released_at: Timestamp;
  /** When its evidence is due to be collected; null afterwards, and if none is collected. */
  evidence_due_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Release = Selectable<ReleasesTable>;
