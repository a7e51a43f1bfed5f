import { type Static, Type } from 'typebox';
import { Enum, Instant, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { newLink } from '../release-links/release-links.inputs.ts';

export const ReleaseTag = Type.Object({
  tag_name: Type.String({ description: 'URL-encoded name of the tag.', examples: ['v1.0'] }),
});

const include_html_description = Type.Boolean({ description: 'Include the description as HTML.' });

export const oneRelease = optional({ include_html_description });

export const listReleases = optional({
  order_by: Enum(['released_at', 'created_at'], { default: 'released_at' }),
  sort: Enum(['desc', 'asc'], { default: 'desc' }),
  include_html_description,
  updated_before: Instant(),
  updated_after: Instant(),
  page: pagination.page,
  per_page: pagination.per_page,
});

const attributes = {
  name: Nullable(
    Type.String({ description: 'Name of the release; the name of the tag when absent. At most 255 characters.' }),
  ),
  description: Nullable(Type.String({ description: 'Release notes in Markdown; at most 1,000,000 characters.' })),
  released_at: Instant({
    description: 'Release date; now when absent. A date in the future makes it an upcoming release.',
  }),
  milestones: Type.Array(Type.String(), {
    maxItems: 100,
    description: 'Titles of milestones of the project or its ancestor groups; an empty list removes all.',
  }),
  milestone_ids: Type.Array(Type.Integer(), {
    maxItems: 100,
    description: 'Ids of milestones, instead of titles.',
  }),
};

export const newRelease = Type.Object({
  tag_name: Type.String({ description: 'Name of the tag, which is created if it does not exist.', examples: ['v1.0'] }),
  tag_message: Type.Optional(
    Nullable(Type.String({ description: 'Message of the tag if it is created; makes it an annotated tag.' })),
  ),
  ref: Type.Optional(Nullable(Type.String({ description: 'Branch, tag or commit to create the tag from.' }))),
  assets: Type.Optional(
    Nullable(
      Type.Object({
        links: Type.Optional(Nullable(Type.Array(newLink, { description: 'Assets of the release.' }))),
      }),
    ),
  ),
  legacy_catalog_publish: Type.Optional(
    Type.Boolean({ description: 'Has no effect: this server has no catalog of components.' }),
  ),
  ...optional(attributes).properties,
});
export type NewRelease = Static<typeof newRelease>;

export const changedRelease = optional(attributes);
export type ChangedRelease = Static<typeof changedRelease>;
