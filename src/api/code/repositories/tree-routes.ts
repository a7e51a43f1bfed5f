import { Type } from 'typebox';
import { invalidParameter } from '../../../core/errors.ts';
import { setKeysetHeaders, setPageHeaders } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import { Enum, pagination } from '../../../http/schema.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject } from '../../access.ts';
import { TreeObject } from './answers.ts';
import { OptionalRef } from './inputs.ts';
import { findListing, pageToken, positionAfter, presentEntries } from './tree.ts';

export const treeRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/tree',
    summary: 'List the files and folders of a folder in the repository',
    access: inProject('read_code', { anonymous: true }),
    lasting: [],
    input: Type.Object({
      ...OptionalRef,
      path: Type.Optional(Type.String({ description: 'Folder; the root when absent.' })),
      recursive: Type.Optional(Type.Boolean({ default: false, description: 'All that is below the folder too.' })),
      pagination: Type.Optional(
        Enum(['legacy', 'keyset', 'none'], { default: 'legacy', description: 'none only with recursive.' }),
      ),
      page_token: Type.Optional(
        Type.String({ description: 'Entry to go on after, from the Link header; keyset only.' }),
      ),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(TreeObject) },
    errors: [400, 404],
    handler: async ({ deps, project, input, page, request, reply }) => {
      if (input.pagination === 'none' && !input.recursive) {
        throw invalidParameter('pagination cannot be "none" unless "recursive" is true');
      }
      const repo = repositoryOf(deps, project);
      const listing = await findListing(repo, input.ref, input.path, input.recursive === true);
      const { entries, prefix, tree } = listing;
      const all = input.pagination === 'none';
      const start = input.pagination === 'keyset' ? positionAfter(listing, input.page_token) : all ? 0 : page.offset;
      const end = all ? entries.length : start + page.size;
      if (input.pagination === 'keyset') {
        const next =
          end < entries.length ? { page_token: pageToken(entries.slice(end - 1, end)[0]!), per_page: page.size } : null;
        setKeysetHeaders(deps.externalUrl(), request, reply, next);
      } else if (!all) {
        setPageHeaders(deps.externalUrl(), request, reply, page, { total: entries.length });
      }
      return deps.answers.get(`tree:${repo.id}:${tree}:${input.recursive}:${start}:${end}:${prefix}`, async () =>
        presentEntries(entries.slice(start, end), prefix),
      );
    },
  }),
];
