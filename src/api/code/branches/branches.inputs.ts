import { type Static, Type } from 'typebox';
import { Enum, Filled, pagination } from '../../../http/http.schema.ts';
import type { Branch } from './branches.responses.ts';

export type BranchJson = Static<typeof Branch>;

/** Longest text that is looked for among the names of branches and tags. */
const MAX_SEARCH = 1_024;

/** How a list is cut into pages that begin after a name. */
export const keysetPagination = {
  ...pagination,
  pagination: Type.Optional(Enum(['legacy', 'keyset'], { description: '`keyset` pages by `page_token`.' })),
  page_token: Type.Optional(Type.String({ description: 'Name that the page begins after, with `pagination=keyset`.' })),
};

export const RefSearch = Type.String({
  maxLength: MAX_SEARCH,
  description: 'Part of the name; `^text` for its beginning, `text$` for its end.',
});

export const ListBranches = Type.Object({
  search: Type.Optional(RefSearch),
  regex: Type.Optional(Type.String({ maxLength: MAX_SEARCH, description: 'RE2 pattern; not together with search.' })),
  sort: Type.Optional(
    Enum(['name_asc', 'updated_asc', 'updated_desc'], {
      default: 'name_asc',
      description: 'By name, or by when the branches were last changed, the oldest or newest first.',
    }),
  ),
  ...keysetPagination,
});

export type ListBranchesInput = Static<typeof ListBranches>;

export const BranchName = { branch: Type.String({ description: 'URL-encoded name of the branch.' }) };

export const CreateBranch = Type.Object({
  branch: Filled({ description: 'Name of the new branch.' }),
  ref: Filled({ description: 'Branch, tag or commit that it starts at.' }),
});

export const ProtectBranch = Type.Object({
  developers_can_push: Type.Optional(Type.Boolean()),
  developers_can_merge: Type.Optional(Type.Boolean()),
});
