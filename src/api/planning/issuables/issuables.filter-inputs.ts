import { type Static, type TProperties, Type } from 'typebox';
import { Enum, Instant, List, optional } from '../../../http/http.schema.ts';
import type { ParamRules } from '../../../http/params/coerce.ts';

export const TIMEBOXES = ['None', 'Any', 'Upcoming', 'Started'] as const;

/** Filters that can be negated under `not`. */
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

/** Parameters of `not`. @param more parameters of issues only, or of merge requests only */
export const notFilters = <T extends TProperties>(more: T) => optional({ ...reversible, ...more });

export const SCOPES = ['created-by-me', 'assigned-to-me', 'created_by_me', 'assigned_to_me', 'all'] as const;

/** Common filters of lists of issues and merge requests. */
export const issuableFilterProperties = optional({
  ...reversible,
  labels: List(Type.String(), {
    maxItems: 50,
    description: 'Names of labels, all of which must be set; or None, or Any.',
  }),
  milestone: Type.String({ description: 'Title of the milestone; or None, Any, Upcoming, Started.' }),
  assignee_id: Type.String({
    pattern: '^(\\d{1,15}|[Nn]one|[Aa]ny)$',
    'x-message': "assignee_id should be an integer, 'None' or 'Any'",
    description: 'Id of the assignee; or None, or Any.',
  }),
  my_reaction_emoji: Type.String({ description: 'Name of an emoji that the caller reacted with; or None, or Any.' }),
  search: Type.String({ maxLength: 1_000, description: 'Words that must all occur; case does not matter.' }),
  in: List(Enum(['title', 'description']), { description: 'Fields for `search`; defaults to both.' }),
  created_after: Instant(),
  created_before: Instant(),
  updated_after: Instant(),
  updated_before: Instant(),
  with_labels_details: Type.Boolean({ default: false, description: 'Return labels as objects instead of names.' }),
  sort: Enum(['asc', 'desc'], { default: 'desc' }),
}).properties;

const Common = Type.Object(issuableFilterProperties);

const Not = notFilters({});

/** Filters of a list; `scope` and `not` differ between issues and merge requests. */
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

/** Parses a number, or the word None or Any. */
export function numberNoneAny(value: string): number | 'none' | 'any' {
  const word = value.toLowerCase();
  if (word === 'none' || word === 'any') return word;
  return Number(word);
}
