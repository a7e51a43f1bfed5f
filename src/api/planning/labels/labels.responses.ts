import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** A label, also in issues and merge requests (`with_labels_details`). */
export const Label = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  description_html: Nullable(Type.String()),
  text_color: Type.String({ description: 'Text colour with enough contrast on `color`: white or near-black.' }),
  color: Type.String({ description: '`#rrggbb` or `#rgb`.' }),
  archived: Type.Boolean(),
});
export type Label = Static<typeof Label>;

const inContext = {
  ...Label.properties,
  open_issues_count: Type.Optional(
    Type.Integer({ description: 'Only with `with_counts`: number of open issues that the caller may see.' }),
  ),
  closed_issues_count: Type.Optional(Type.Integer()),
  open_merge_requests_count: Type.Optional(Type.Integer()),
  subscribed: Type.Boolean({ description: 'Whether the caller is subscribed to the label.' }),
};

export const GroupLabel = Type.Object(inContext);

export const ProjectLabel = Type.Object({
  ...inContext,
  priority: Nullable(Type.Integer({ description: 'Priority in the project; lower numbers come first.' })),
  is_project_label: Type.Boolean({ description: 'False for labels of an ancestor group.' }),
});

export const priority = {
  priority: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Priority in the project; null removes it.' }),
    ),
  ),
};
