import type { Id, Timestamp } from '../columns.ts';

/**
 * What is known of pages of wikis beside their files: a number that stays when a page gets another name. Rows outlive
 * their pages, since events speak of them.
 */
export interface WikiPagesTable {
  id: Id;
  wiki_id: number;
  /** The path of its file without the ending; unique in the wiki. */
  slug: string;
  title: string;
  /** What its text is written in. */
  format: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
