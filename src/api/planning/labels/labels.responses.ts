import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** What every label shows, also as a detail of an issue or merge request (`with_labels_details`). */
export const Label = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  description_html: Nullable(Type.String()),
  text_color: Type.String({ description: 'White or nearly black: what can be read on `color`.' }),
  color: Type.String({ description: '`#rrggbb` or `#rgb`.' }),
  archived: Type.Boolean(),
});
export type Label = Static<typeof Label>;

const inContext = {
  ...Label.properties,
  open_issues_count: Type.Optional(Type.Integer({ description: 'With `with_counts`: what the caller may see.' })),
  closed_issues_count: Type.Optional(Type.Integer()),
  open_merge_requests_count: Type.Optional(Type.Integer()),
  subscribed: Type.Boolean({ description: 'Whether the caller asked for news of it.' }),
};

export const GroupLabel = Type.Object(inContext);

export const ProjectLabel = Type.Object({
  ...inContext,
  priority: Nullable(Type.Integer({ description: 'In the project; lower numbers come first.' })),
  is_project_label: Type.Boolean({ description: 'False for labels of a group above.' }),
});

export const priority = {
  priority: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Null removes it.' })),
  ),
};
