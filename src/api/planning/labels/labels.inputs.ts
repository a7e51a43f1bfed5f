import { type Static, Type } from 'typebox';
import { Nullable, pagination } from '../../../http/http.schema.ts';
import { type GroupLabel, type ProjectLabel, priority } from './labels.responses.ts';

/** A label in the context of a project or group. */
export type LabelJson = Static<typeof GroupLabel> & Partial<Static<typeof ProjectLabel>>;

const includeAncestors = {
  include_ancestor_groups: Type.Optional(
    Type.Boolean({ default: true, description: 'Include labels of ancestor groups.' }),
  ),
};

const groupOnly = {
  include_descendant_groups: Type.Optional(Type.Boolean({ description: 'Include labels of subgroups.' })),
  only_group_labels: Type.Optional(Type.Boolean({ default: true, description: 'False: include labels of projects.' })),
};

const listed = {
  with_counts: Type.Optional(Type.Boolean({ default: false })),
  ...includeAncestors,
  search: Type.Optional(Type.String({ maxLength: 1_000, description: 'Words to search for in name and description.' })),
  archived: Type.Optional(Type.Boolean({ description: 'Only archived, or only other labels; defaults to all.' })),
};

export const ProjectLabelFilters = Type.Object({ ...listed, ...pagination });

export const GroupLabelFilters = Type.Object({ ...listed, ...groupOnly, ...pagination });

export const ProjectLabelScope = Type.Object(includeAncestors);

export const GroupLabelScope = Type.Object({ ...includeAncestors, ...groupOnly });

/** Labels to include from ancestors and descendants. */
export type LabelScope = Partial<Static<typeof GroupLabelScope>>;

export type LabelFilters = LabelScope & Pick<Static<typeof GroupLabelFilters>, 'search' | 'archived'>;

const attributes = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 524_288 }))),
  archived: Type.Optional(Type.Boolean()),
};

const color = Type.String({ description: '`#rrggbb`, `#rgb` or a colour name of CSS.' });

export const CreateGroupLabel = Type.Object({ name: Type.String(), color, ...attributes });

export const CreateProjectLabel = Type.Object({ ...CreateGroupLabel.properties, ...priority });

export type CreateLabelInput = Static<typeof CreateGroupLabel> & Partial<Static<typeof CreateProjectLabel>>;

export const UpdateGroupLabel = Type.Object({
  new_name: Type.Optional(Type.String()),
  color: Type.Optional(color),
  ...attributes,
});

export const UpdateProjectLabel = Type.Object({ ...UpdateGroupLabel.properties, ...priority });

export type UpdateLabelInput = Static<typeof UpdateGroupLabel> & Partial<Static<typeof UpdateProjectLabel>>;

/** Parameters that identify a label in older endpoints. */
export const legacyKey = {
  label_id: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String()),
};

export const LegacyUpdateGroupLabel = Type.Object({ ...UpdateGroupLabel.properties, ...legacyKey });

export const LegacyUpdateProjectLabel = Type.Object({ ...UpdateProjectLabel.properties, ...legacyKey });

export const labelId = { label_id: Type.String({ description: 'Id or name of the label.' }) };
