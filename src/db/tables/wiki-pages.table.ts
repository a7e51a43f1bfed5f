import type { Id, Timestamp } from '../columns.ts';

/** Permanent ids of wiki pages, which survive renames. Rows outlive their pages, because events refer to them. */
export interface WikiPagesTable {
  id: Id;
  wiki_id: number;
  /** Path of its file without the extension; unique in the wiki. */
  slug: string;
  title: string;
  /** Markup format. */
  format: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
