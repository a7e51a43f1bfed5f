import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Badges of a project, or of all projects of a group. */
export interface BadgesTable {
  id: Id;
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  name: string | null;
  /** URLs with placeholders such as `%{project_path}`. */
  link_url: string;
  image_url: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Badge = Selectable<BadgesTable>;
