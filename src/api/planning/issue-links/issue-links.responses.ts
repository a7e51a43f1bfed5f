import { type Static, Type } from 'typebox';
import { Enum, Instant } from '../../../http/http.schema.ts';
import { Issue, IssueBasic } from '../issues/issues.responses.ts';

export const LINK_TYPES = ['relates_to', 'blocks', 'is_blocked_by'] as const;

export type LinkType = (typeof LINK_TYPES)[number];

export const link_type = Enum(LINK_TYPES, { description: 'Relation of the requested issue to the other one.' });

/** An issue that another one is linked to (part 1, section 2: issue link). */
export const LinkedIssue = Type.Object({
  ...Issue.properties,
  issue_link_id: Type.Integer(),
  link_type,
  link_created_at: Instant(),
  link_updated_at: Instant(),
});
export type LinkedIssue = Static<typeof LinkedIssue>;

export const IssueLink = Type.Object({
  id: Type.Integer(),
  source_issue: { ...IssueBasic, description: 'The requested issue.' },
  target_issue: { ...IssueBasic, description: 'The other issue.' },
  link_type,
});

export type IssueLinkJson = Static<typeof IssueLink>;
