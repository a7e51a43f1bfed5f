import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Links between issues; `blocks` reads from source to target. */
export interface IssueLinksTable {
  id: Id;
  source_id: number;
  target_id: number;
  link_type: Defaulted<'relates_to' | 'blocks'>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type IssueLink = Selectable<IssueLinksTable>;

export const issueLinksOwnership: Ownership<IssueLinksTable> = { plain: ['link_type'] };
