import { type Static, Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { Commit } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';
import { Milestone } from '../../planning/index.ts';
import { ReleaseLink } from '../release-links/release-links.responses.ts';

/** Formats of the source archives of a release. */
export const SOURCE_FORMATS = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const;

const basic = {
  name: Type.String(),
  tag_name: Type.String(),
  description: Nullable(Type.String()),
  created_at: Instant(),
  released_at: Instant(),
  upcoming_release: Type.Boolean(),
};

/** A release with `simple`. */
export const ReleaseBasic = Type.Object(basic);

/** A milestone with numbers of issues. */
export const MilestoneWithStats = Type.Object({
  ...Milestone.properties,
  issue_stats: Type.Object({ total: Type.Integer(), closed: Type.Integer() }),
});

/** Evidence: a snapshot of a release, at its publication or on request. */
const Evidence = Type.Object({
  sha: Type.String({ description: 'SHA-256 of the evidence file.' }),
  filepath: Type.String({ description: 'URL of the evidence as JSON.' }),
  collected_at: Instant(),
});

const forCode = 'Only for callers who may read the code.';

/** A release. Fields that take the right to read code are absent for other callers (part 2, section 2). */
export const Release = Type.Object({
  ...basic,
  description_html: Type.Optional(Type.String()),
  author: Nullable(UserBasic),
  commit: Type.Optional(Nullable(Commit)),
  milestones: Type.Optional(Type.Array(MilestoneWithStats)),
  commit_path: Type.Optional(Type.String({ description: `Path of the page of the commit. ${forCode}` })),
  tag_path: Type.Optional(Type.String({ description: `Path of the page of the tag. ${forCode}` })),
  assets: Type.Object({
    count: Type.Integer({ description: 'Number of links and source archives.' }),
    sources: Type.Optional(
      Type.Array(Type.Object({ format: Enum(SOURCE_FORMATS), url: Type.String() }), {
        description: `Source code archives. ${forCode}`,
      }),
    ),
    links: Type.Array(ReleaseLink),
  }),
  evidences: Type.Optional(Type.Array(Evidence)),
  _links: Type.Object({
    closed_issues_url: Type.String(),
    closed_merge_requests_url: Type.String(),
    edit_url: Type.Optional(Type.String({ description: 'Only for callers who may update the release.' })),
    merged_merge_requests_url: Type.String(),
    opened_issues_url: Type.String(),
    opened_merge_requests_url: Type.String(),
    self: Type.String({ description: 'URL of the release.' }),
  }),
});

export type ReleaseJson = Static<typeof Release>;
export type ReleaseBasicJson = Static<typeof ReleaseBasic>;
