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
  additionalSettingFields,
  BranchProtection,
  DUO_AVAILABILITIES,
  detailSettingFields,
  settingFields,
} from './groups.settings.ts';

const { default_branch_protection_defaults: _rules, ...settings } = settingFields;

/** Attributes for creation and updates, in addition to name and path. */
const attributes = {
  avatar: Upload({ description: 'An image of at most 200 KiB; an empty string removes it.' }),
  description: Type.String({ maxLength: 500 }),
  visibility: Enum(VISIBILITIES, { description: 'Visibility; `private` when absent.' }),
  request_access_enabled: Type.Boolean({ default: undefined }),
  emails_disabled: Type.Boolean({ deprecated: true, description: 'Deprecated: use `emails_enabled`.' }),
  ...settings,
  default_branch_protection_defaults: Type.Partial(Type.Object(BranchProtection.properties as TProperties)),
  duo_availability: Enum(DUO_AVAILABILITIES, {
    description: 'Sets both `duo_features_enabled` and `lock_duo_features_enabled`.',
    ...ofPlan('premium'),
  }),
  ...detailSettingFields,
};

/** Settings that this server does not support: empty, or refused. */
const unset = (description: string) => Nullable(Type.String({ maxLength: 10_000, description }));

export const CreateInput = Type.Object({
  name: Filled({ description: 'Name of the group.' }),
  path: Filled({ description: 'Path segment of the group.' }),
  parent_id: Type.Optional(Type.Integer({ description: 'Id of the parent group.' })),
  organization_id: Type.Optional(Type.Integer()),
  ...optional(attributes).properties,
});

export const UpdateInput = Type.Object({
  name: Type.Optional(Filled()),
  path: Type.Optional(Filled()),
  file_template_project_id: Type.Optional(
    Nullable(
      Type.Integer({
        description: 'Project below the group with file templates for all its projects.',
        ...ofPlan('premium'),
      }),
    ),
  ),
  ...optional({
    ...attributes,
    ...additionalSettingFields,
    ip_restriction_ranges: unset('Must be empty: the server does not restrict access by address.'),
    step_up_auth_required_oauth_provider: unset(
      'Must be empty: the server has no sign-in services with step-up authentication.',
    ),
  }).properties,
});

/** `with_custom_attributes` and the filter by custom attributes; for administrators. */
export const customAttributeParams = {
  with_custom_attributes: Type.Boolean({
    default: false,
    description: 'Include custom attributes; for administrators.',
  }),
  custom_attributes: customAttributesFilter,
};

/** Filters and order of all lists of groups (silent parts of the specification, 1.10). */
export const listParams = {
  ...pagination,
  ...optional({
    statistics: Type.Boolean({ default: false, description: 'Include statistics; for administrators.' }),
    skip_groups: List(Type.Integer(), { maxItems: 1_000, description: 'Ids of groups to leave out.' }),
    all_available: Type.Boolean({ description: 'Include groups that the caller can see without being a member.' }),
    visibility: Enum(VISIBILITIES),
    search: Type.String({ maxLength: 1_000 }),
    owned: Type.Boolean({
      default: false,
      description: 'Only groups of which the caller is a direct owner.',
    }),
    order_by: Enum(['name', 'path', 'id', 'similarity'], { default: 'name' }),
    sort: Enum(['asc', 'desc'], { default: 'asc' }),
    min_access_level: IntegerEnum([10, 15, 20, 30, 40, 50], { description: 'Minimum access level of the caller.' }),
    top_level_only: Type.Boolean({ default: false }),
    marked_for_deletion_on: Day({ description: 'Only groups that were marked for deletion on this date.' }),
    active: Type.Boolean({
      description: 'Only active groups (`true`), or only groups archived or marked for deletion (`false`).',
    }),
    archived: Type.Boolean(),
    repository_storage: Type.String({ maxLength: 255, description: 'Name of a storage; for administrators.' }),
    ...customAttributeParams,
  }).properties,
};

export const ListInput = Type.Object(listParams);
