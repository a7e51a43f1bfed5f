import { type Static, Type } from 'typebox';
import { Enum, Filled, pagination } from '../../../http/http.schema.ts';
import type { Branch } from './branches.responses.ts';

export type BranchJson = Static<typeof Branch>;

/** Maximum length of a search in names of branches and tags. */
const MAX_SEARCH = 1_024;

/** Keyset pagination: pages begin after a name. */
export const keysetPagination = {
  ...pagination,
  pagination: Type.Optional(Enum(['legacy', 'keyset'], { description: '`keyset` pages by `page_token`.' })),
  page_token: Type.Optional(
    Type.String({ description: 'Name of the branch after which the page begins; with `pagination=keyset`.' }),
  ),
};

export const RefSearch = Type.String({
  maxLength: MAX_SEARCH,
  description: 'Only branches whose name contains this text; `^text` matches the beginning, `text$` the end.',
});

export const ListBranches = Type.Object({
  search: Type.Optional(RefSearch),
  regex: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      description: 'Only branches whose name matches this RE2 pattern. Cannot be combined with `search`.',
    }),
  ),
  sort: Type.Optional(
    Enum(['name_asc', 'updated_asc', 'updated_desc'], {
      default: 'name_asc',
      description: 'Order by name, or by last update, oldest or newest first.',
    }),
  ),
  ...keysetPagination,
});

export type ListBranchesInput = Static<typeof ListBranches>;

export const BranchName = { branch: Type.String({ description: 'URL-encoded name of the branch.' }) };

export const CreateBranch = Type.Object({
  branch: Filled({ description: 'Name of the new branch.' }),
  ref: Filled({ description: 'Branch, tag or commit that the branch starts from.' }),
});

export const ProtectBranch = Type.Object({
  developers_can_push: Type.Optional(Type.Boolean()),
  developers_can_merge: Type.Optional(Type.Boolean()),
});
