import { type Static, Type } from 'typebox';
import { Enum, Instant, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { newLink } from '../release-links/release-links.inputs.ts';

export const ReleaseTag = Type.Object({
  tag_name: Type.String({ description: 'URL-encoded name of the tag.', examples: ['v1.0'] }),
});

const include_html_description = Type.Boolean({ description: 'Whether the description is shown as HTML, too.' });

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
  name: Nullable(Type.String({ description: 'Name; that of the tag when absent. At most 255 characters.' })),
  description: Nullable(Type.String({ description: 'Notes in Markdown; at most 1,000,000 characters.' })),
  released_at: Instant({ description: 'When it is or was released; now when absent. In the future: an upcoming one.' }),
  milestones: Type.Array(Type.String(), {
    maxItems: 100,
    description: 'Titles of its milestones, of the project or of groups above it; an empty list takes them away.',
  }),
  milestone_ids: Type.Array(Type.Integer(), {
    maxItems: 100,
    description: 'Ids of its milestones, instead of titles.',
  }),
};

export const newRelease = Type.Object({
  tag_name: Type.String({ description: 'Its tag, which is made where there is none.', examples: ['v1.0'] }),
  tag_message: Type.Optional(Nullable(Type.String({ description: 'Makes a new tag an annotated one.' }))),
  ref: Type.Optional(Nullable(Type.String({ description: 'Branch, tag or commit that a new tag names.' }))),
  assets: Type.Optional(
    Nullable(
      Type.Object({
        links: Type.Optional(Nullable(Type.Array(newLink, { description: 'Its assets.' }))),
      }),
    ),
  ),
  legacy_catalog_publish: Type.Optional(
    Type.Boolean({ description: 'Of no effect: there is no catalog of components here.' }),
  ),
  ...optional(attributes).properties,
});
export type NewRelease = Static<typeof newRelease>;

export const changedRelease = optional(attributes);
export type ChangedRelease = Static<typeof changedRelease>;
