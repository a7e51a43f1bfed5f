import { type Static, Type } from 'typebox';
import { Enum, Instant, List, optional, pagination } from '../../../../http/http.schema.ts';
import type { ParamRules } from '../../../../http/params/coerce.ts';
import { filterRules, issuableFilterProperties, notFilters, SCOPES } from '../../issuables/issuables.filter-inputs.ts';
import { ISSUABLE_ORDERS } from '../../issuables/issuables.order.ts';
import { releaseFilter } from '../../issuables/release-filter.ts';

const number = (name: string, description: string) =>
  Type.String({
    pattern: '^(\\d{1,15}|[Nn]one|[Aa]ny)$',
    'x-message': `${name} should be an integer, 'None' or 'Any'`,
    description,
  });

const people = (description: string) => List(Type.String(), { maxItems: 50, description });

const own = {
  source_branch: Type.String(),
  target_branch: Type.String(),
  source_project_id: Type.Integer(),
  reviewer_id: number('reviewer_id', 'Id of the reviewer; or None, or Any.'),
  reviewer_username: Type.String(),
  wip: Enum(['yes', 'no'], { description: '`yes`: drafts only; `no`: no drafts.' }),
  merge_user_id: Type.Integer(),
  merge_user_username: Type.String(),
  approved: Enum(['yes', 'no'], { description: '`yes`: with at least one approval; `no`: without approvals.' }),
  approver_ids: people('Ids of users who must all be approvers by a rule; or None, or Any.'),
  approved_by_ids: people('Ids of users who must all have approved; or None, or Any.'),
  approved_by_usernames: people('Names of users who must all have approved; or None, or Any.'),
  merged_after: Instant(),
  merged_before: Instant(),
  deployed_after: Instant({ description: 'Has no effect: no deployments are recorded for merge requests.' }),
  deployed_before: Instant({ description: 'Has no effect: no deployments are recorded for merge requests.' }),
  environment: Type.String({
    maxLength: 255,
    description: 'Has no effect: no deployments are recorded for merge requests.',
  }),
  view: Enum(['simple'], { description: '`simple`: only a few attributes.' }),
  with_merge_status_recheck: Type.Boolean({
    default: false,
    description: 'Recompute the merge status of merge requests on the page in the background, if it is unknown.',
  }),
};

const filters = {
  ...issuableFilterProperties,
  ...optional(own).properties,
  state: Type.Optional(Enum(['opened', 'closed', 'locked', 'merged', 'all'], { default: 'all' })),
  order_by: Type.Optional(Enum([...ISSUABLE_ORDERS, 'merged_at'], { default: 'created_at' })),
  not: Type.Optional(notFilters({ reviewer_id: Type.Integer(), reviewer_username: Type.String() })),
};

const scope = (fallback: 'all' | 'created_by_me') =>
  Type.Optional(Enum([...SCOPES, 'reviews_for_me'], { default: fallback }));

const non_archived = Type.Optional(
  Type.Boolean({ default: true, description: 'Leave out merge requests of archived projects.' }),
);

export const ProjectMergeRequests = Type.Object({ ...filters, ...releaseFilter, scope: scope('all'), ...pagination });

export const GroupMergeRequests = Type.Object({ ...filters, scope: scope('all'), non_archived, ...pagination });

export const AllMergeRequests = Type.Object({ ...filters, scope: scope('created_by_me'), non_archived, ...pagination });

/** Filters and order of a list of merge requests. */
export type MergeRequestFilters = Omit<Static<typeof AllMergeRequests>, 'page' | 'per_page'> & { release_tag?: string };

export const listRules: ParamRules = {
  mutuallyExclusive: [
    ...(filterRules.mutuallyExclusive ?? []),
    ['reviewer_id', 'reviewer_username'],
    ['approved_by_ids', 'approved_by_usernames'],
    ['merge_user_id', 'merge_user_username'],
  ],
};
