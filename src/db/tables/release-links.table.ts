import type { Selectable } from 'kysely';
import type { Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Kinds of assets, in the order of their display. */
export const LINK_TYPES = ['other', 'runbook', 'image', 'package'] as const;
export type LinkType = (typeof LINK_TYPES)[number];

/** Asset links of releases. Name, URL and path are unique within a release. */
export interface ReleaseLinksTable {
  id: Id;
  release_id: number;
  name: string;
  url: string;
  /** Path below the permanent download URL of the release, with a leading slash. */
  filepath: string | null;
  link_type: Defaulted<LinkType>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type ReleaseLink = Selectable<ReleaseLinksTable>;

export const releaseLinksOwnership: Ownership<ReleaseLinksTable> = { plain: ['link_type'] };
