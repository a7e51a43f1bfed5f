import { type Static, Type } from 'typebox';
import { Day, Enum, Instant, Nullable, optional } from '../../../http/http.schema.ts';

const basicFields = {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Enum(['user', 'group']),
  full_path: Type.String(),
  parent_id: Nullable(Type.Integer()),
  avatar_url: Nullable(Type.String()),
  web_url: Type.String(),
};

/** A namespace nested in other objects. */
export const NamespaceBasic = Type.Object(basicFields);
export type NamespaceBasic = Static<typeof NamespaceBasic>;

/** A namespace with details for owners and administrators (silent parts of the specification, 1.9). */
export const Namespace = Type.Object({
  ...basicFields,
  ...optional({
    members_count_with_descendants: Type.Integer({ description: 'Only for groups.' }),
    root_repository_size: Type.Integer({ description: 'Bytes.' }),
    projects_count: Type.Integer(),
    billable_members_count: Type.Integer(),
    seats_in_use: Type.Integer(),
    max_seats_used: Type.Integer(),
    max_seats_used_changed_at: Nullable(Instant()),
    end_date: Nullable(Day()),
    plan: Type.String(),
    trial_ends_on: Nullable(Day()),
    trial: Type.Boolean(),
    shared_runners_minutes_limit: Nullable(Type.Integer()),
    extra_shared_runners_minutes_limit: Nullable(Type.Integer()),
    additional_purchased_storage_size: Type.Integer(),
    additional_purchased_storage_ends_on: Nullable(Day()),
  }).properties,
});
export type Namespace = Static<typeof Namespace>;
