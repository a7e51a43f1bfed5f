import { type Static, type TObject, Type } from 'typebox';
import { Enum, List, ofPlan, optional, pagination } from '../../http/http.schema.ts';

/** What can be searched for: anywhere, in a group with its subgroups, in a project. */
export const SEARCH_SCOPES = {
  everywhere: [
    'projects',
    'groups',
    'issues',
    'merge_requests',
    'milestones',
    'snippet_titles',
    'users',
    'notes',
    'commits',
    'blobs',
    'wiki_blobs',
  ],
  group: ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'notes', 'commits', 'blobs', 'wiki_blobs'],
  project: ['issues', 'merge_requests', 'milestones', 'users', 'notes', 'commits', 'blobs', 'wiki_blobs'],
} as const;
export type SearchScope = (typeof SEARCH_SCOPES.everywhere)[number];

const common = {
  search: Type.String({
    maxLength: 1_000,
    description:
      'Text to search for; case does not matter. With `#` or `!` before it, the number of an issue or merge request. With `blobs` and `wiki_blobs` it may contain the filters `filename:`, `path:` and `extension:`, with `*` for any text, and a `-` before a filter to leave files out.',
  }),
  ...optional({
    search_type: Enum(['basic'], { description: 'Kind of search; there is only `basic`.' }),
    state: Enum(['opened', 'closed', 'merged', 'all'], {
      description: 'Only issues or merge requests in this state; ignored for other scopes.',
    }),
    confidential: Type.Boolean({
      description: 'Only issues that are confidential, or are not; ignored for other scopes.',
    }),
    fields: List(Enum(['title']), {
      ...ofPlan('premium'),
      maxItems: 10,
      description: 'Fields of issues and merge requests to search; title and description by default.',
    }),
    order_by: Enum(['created_at'], {
      description: 'Order of what is in the database; users are ordered by name, or as members.',
    }),
    sort: Enum(['asc', 'desc'], { default: 'desc' }),
    num_context_lines: Type.Integer({
      minimum: 0,
      maximum: 20,
      default: 2,
      description: 'Number of lines around a match in a file.',
    }),
  }).properties,
  ...pagination,
};

const include_archived = Type.Optional(
  Type.Boolean({ default: false, description: 'Include archived projects and what they contain.' }),
);

const scope = <const T extends SearchScope>(values: readonly T[]) =>
  Enum(values, { description: 'Kind of objects to search for.' });

export const SearchEverywhere = Type.Object({ scope: scope(SEARCH_SCOPES.everywhere), ...common, include_archived });
export const SearchInGroup = Type.Object({ scope: scope(SEARCH_SCOPES.group), ...common, include_archived });
export const SearchInProject = Type.Object({
  scope: scope(SEARCH_SCOPES.project),
  ...common,
  ref: Type.Optional(
    Type.String({ description: 'Branch, tag or commit for code, commits and wiki; the default branch when absent.' }),
  ),
});

/** Parameters of a search in any place. */
export type SearchInput = Static<TObject<typeof common>> & {
  scope: SearchScope;
  include_archived?: boolean;
  ref?: string;
};
