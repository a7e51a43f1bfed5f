import { type Static, Type } from 'typebox';
import { Enum, optional, pagination } from '../../../http/http.schema.ts';
import { issuableFilterProperties, notFilters, SCOPES } from '../issuables/issuables.filter-inputs.ts';
import { ISSUABLE_ORDERS } from '../issuables/issuables.order.ts';
import { releaseFilter } from '../issuables/release-filter.ts';
import { ISSUE_TYPES } from './issues.responses.ts';

export const ISSUE_ORDERS = [...ISSUABLE_ORDERS, 'due_date', 'relative_position', 'weight'] as const;

export const DUE_WORDS = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
] as const;

const NONE_ANY_NUMBER = '^(\\d{1,15}|[Nn]one|[Aa]ny)$';

const numberOrWord = (name: string, description: string) =>
  Type.String({
    pattern: NONE_ANY_NUMBER,
    'x-message': `${name} should be an integer, 'None' or 'Any'`,
    description,
  });

const own = {
  closed_by_id: Type.Integer(),
  due_date: Enum(DUE_WORDS, { description: 'Id of an iteration; `0`: without one.' }),
  issue_type: Enum(ISSUE_TYPES),
  confidential: Type.Boolean(),
  weight: numberOrWord('weight', 'Weight; or None, or Any.'),
  epic_id: numberOrWord('epic_id', 'Id of an epic; this server has none.'),
  iteration_id: Type.String({ maxLength: 255, description: 'Title of an iteration; this server has none.' }),
  health_status: Enum(['on_track', 'needs_attention', 'at_risk', 'none', 'any', 'None', 'Any']),
};

const filters = {
  ...issuableFilterProperties,
  ...optional(own).properties,
  state: Type.Optional(Enum(['opened', 'closed', 'all'], { default: 'all' })),
  not: Type.Optional(notFilters({ weight: Type.Integer(), iteration_id: Type.Integer() })),
};

const order_by = Type.Optional(Enum(ISSUE_ORDERS, { default: 'created_at' }));

const scope = (fallback: 'all' | 'created_by_me') => Type.Optional(Enum(SCOPES, { default: fallback }));

const non_archived = Type.Optional(
  Type.Boolean({ default: true, description: 'Leave out issues of archived projects.' }),
);

export const ProjectIssuesInput = Type.Object({
  ...filters,
  ...releaseFilter,
  order_by,
  scope: scope('all'),
  pagination: Type.Optional(Enum(['legacy', 'offset', 'keyset'])),
  cursor: Type.Optional(Type.String({ description: 'Start of a keyset page, taken from the `Link` header.' })),
  ...pagination,
});

export const GroupIssuesInput = Type.Object({ ...filters, order_by, scope: scope('all'), non_archived, ...pagination });

export const AllIssuesInput = Type.Object({
  ...filters,
  order_by,
  scope: scope('created_by_me'),
  non_archived,
  ...pagination,
});

/** Filters of the counts: those of the lists without the state, which is counted. */
const { state: _, with_labels_details: __, sort: ___, ...counted } = filters;
export const StatisticsInput = Type.Object({ ...counted, scope: scope('all') });

export const ProjectStatisticsInput = Type.Object({ ...counted, ...releaseFilter, scope: scope('all') });

export const AllStatisticsInput = Type.Object({ ...counted, scope: scope('created_by_me') });

/** Filters and order of a list of issues. */
export type IssueFilters = Omit<Static<typeof AllIssuesInput>, 'page' | 'per_page'> & { release_tag?: string };
