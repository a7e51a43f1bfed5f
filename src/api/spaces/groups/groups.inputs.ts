import { type TProperties, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import {
  Day,
  Enum,
  Filled,
  IntegerEnum,
  List,
  Nullable,
  ofPlan,
  optional,
  pagination,
  Upload,
} from '../../../http/http.schema.ts';
import { customAttributesFilter } from '../custom-attributes/custom-attributes.inputs.ts';
import {
  BranchProtection,
  DUO_AVAILABILITIES,
  detailSettingFields,
  laterSettingFields,
  settingFields,
} from './groups.settings.ts';

const { default_branch_protection_defaults: _rules, ...settings } = settingFields;

/** Attributes that creation and update both take, beside name and path. */
const attributes = {
  avatar: Upload({ description: 'A picture of at most 200 KiB; an empty text removes it.' }),
  description: Type.String({ maxLength: 500 }),
  visibility: Enum(VISIBILITIES, { description: '`private` when absent.' }),
  request_access_enabled: Type.Boolean({ default: undefined }),
  emails_disabled: Type.Boolean({ deprecated: true, description: 'Use `emails_enabled`.' }),
  ...settings,
  default_branch_protection_defaults: Type.Partial(Type.Object(BranchProtection.properties as TProperties)),
  duo_availability: Enum(DUO_AVAILABILITIES, {
    description: '`duo_features_enabled` and `lock_duo_features_enabled` in one.',
    ...ofPlan('premium'),
  }),
  ...detailSettingFields,
};

/** Settings of other servers that this one cannot follow: empty, or refused. */
const unset = (description: string) => Nullable(Type.String({ maxLength: 10_000, description }));

export const CreateInput = Type.Object({
  name: Filled({ description: 'Name of the group.' }),
  path: Filled({ description: 'Last segment of its full path.' }),
  parent_id: Type.Optional(Type.Integer({ description: 'Group that it becomes a subgroup of.' })),
  organization_id: Type.Optional(Type.Integer()),
  ...optional(attributes).properties,
});

export const UpdateInput = Type.Object({
  name: Type.Optional(Filled()),
  path: Type.Optional(Filled()),
  file_template_project_id: Type.Optional(
    Nullable(
      Type.Integer({
        description: 'Project below the group with the templates of files for all its projects.',
        ...ofPlan('premium'),
      }),
    ),
  ),
  ...optional({
    ...attributes,
    ...laterSettingFields,
    ip_restriction_ranges: unset('Empty: access is not restricted by address here.'),
    step_up_auth_required_oauth_provider: unset('Empty: no sign-in service asks for a second step here.'),
  }).properties,
});

/** `with_custom_attributes` and the filter by their values; both for administrators. */
export const customAttributeParams = {
  with_custom_attributes: Type.Boolean({ default: false, description: 'For administrators: show custom attributes.' }),
  custom_attributes: customAttributesFilter,
};

/** Filters and order of every list of groups (silent parts of the specification, 1.10). */
export const listParams = {
  ...pagination,
  ...optional({
    statistics: Type.Boolean({ default: false, description: 'For administrators: sizes of what the groups hold.' }),
    skip_groups: List(Type.Integer(), { maxItems: 1_000, description: 'Ids of groups to leave out.' }),
    all_available: Type.Boolean({ description: 'Whether groups are shown that the caller sees without membership.' }),
    visibility: Enum(VISIBILITIES),
    search: Type.String({ maxLength: 1_000 }),
    owned: Type.Boolean({
      default: false,
      description: 'Only those that the caller is an owner of by own membership.',
    }),
    order_by: Enum(['name', 'path', 'id', 'similarity'], { default: 'name' }),
    sort: Enum(['asc', 'desc'], { default: 'asc' }),
    min_access_level: IntegerEnum([10, 15, 20, 30, 40, 50], { description: "The caller's level at least." }),
    top_level_only: Type.Boolean({ default: false }),
    marked_for_deletion_on: Day({ description: 'Only groups that were marked for deletion on this day.' }),
    active: Type.Boolean({
      description: 'Only those that are neither archived nor marked for deletion, or the others.',
    }),
    archived: Type.Boolean(),
    repository_storage: Type.String({ maxLength: 255, description: 'For administrators.' }),
    ...customAttributeParams,
  }).properties,
};

export const ListInput = Type.Object(listParams);
