import { type Static, type TProperties, Type } from 'typebox';
import { Enum, Instant, List, optional } from '../../../http/http.schema.ts';
import type { ParamRules } from '../../../http/params/coerce.ts';

export const TIMEBOXES = ['None', 'Any', 'Upcoming', 'Started'] as const;

/** Filters that can also be turned round, under `not`. */
const reversible = {
  labels: List(Type.String(), { maxItems: 50 }),
  milestone: Type.String(),
  milestone_id: Enum(TIMEBOXES),
  iids: List(Type.Integer(), { maxItems: 100 }),
  author_id: Type.Integer(),
  author_username: Type.String(),
  assignee_id: Type.Integer(),
  assignee_username: List(Type.String(), { maxItems: 50 }),
  my_reaction_emoji: Type.String(),
};

/** Parameters of `not` with those that only issues, or only merge requests, have. */
export const notFilters = <T extends TProperties>(more: T) => optional({ ...reversible, ...more });

export const SCOPES = ['created-by-me', 'assigned-to-me', 'created_by_me', 'assigned_to_me', 'all'] as const;

/** Filters that lists of issues and of merge requests have in common. */
export const issuableFilterProperties = optional({
  ...reversible,
  labels: List(Type.String(), { maxItems: 50, description: 'Names of labels that all are there; or None, or Any.' }),
  milestone: Type.String({ description: 'Title; or None, Any, Upcoming, Started.' }),
  assignee_id: Type.String({
    pattern: '^(\\d{1,15}|[Nn]one|[Aa]ny)$',
    'x-message': "assignee_id should be an integer, 'None' or 'Any'",
    description: 'Id; or None, or Any.',
  }),
  my_reaction_emoji: Type.String({ description: 'Name of an emoji the caller reacted with; or None, or Any.' }),
  search: Type.String({ maxLength: 1_000, description: 'Words that all occur; case does not matter.' }),
  in: List(Enum(['title', 'description']), { description: 'Where `search` looks; both when absent.' }),
  created_after: Instant(),
  created_before: Instant(),
  updated_after: Instant(),
  updated_before: Instant(),
  with_labels_details: Type.Boolean({ default: false, description: 'Labels with all their keys.' }),
  sort: Enum(['asc', 'desc'], { default: 'desc' }),
}).properties;

const Common = Type.Object(issuableFilterProperties);

const Not = notFilters({});

/** What a list is narrowed down by; `scope` and `not` differ between the two lists. */
export type IssuableFilters = Omit<Static<typeof Common>, 'with_labels_details' | 'sort'> & {
  scope?: string;
  not?: Static<typeof Not>;
};

export const filterRules: ParamRules = {
  mutuallyExclusive: [
    ['milestone', 'milestone_id'],
    ['author_id', 'author_username'],
    ['assignee_id', 'assignee_username'],
  ],
};

/** Reads a number that may also be the word None or Any. */
export function numberNoneAny(value: string): number | 'none' | 'any' {
  const word = value.toLowerCase();
  if (word === 'none' || word === 'any') return word;
  return Number(word);
}
