import { Type } from 'typebox';
import { invalidParameter } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject } from '../../api.access.ts';
import type { Part } from './folder-page.ts';
import { OptionalRef } from './repositories.inputs.ts';
import { TreeObject } from './repositories.responses.ts';
import { treePage } from './repositories.tree.ts';

export const treeRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/tree',
    summary: 'List the files and folders of a folder in the repository',
    access: inProject('read_code', { anonymous: true }),
    cacheable: [],
    input: Type.Object({
      ...OptionalRef,
      path: Type.Optional(Type.String({ description: 'Folder; the root when absent.' })),
      recursive: Type.Optional(Type.Boolean({ default: false, description: 'Include everything below the folder.' })),
      pagination: Type.Optional(
        Enum(['legacy', 'keyset', 'none'], {
          default: 'legacy',
          description: '`none` only together with `recursive`.',
        }),
      ),
      page_token: Type.Optional(
        Type.String({ description: 'Entry after which the page begins, from the `Link` header; keyset only.' }),
      ),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(TreeObject) },
    errors: [400, 404],
    handler: async (c) => {
      const { deps, project, input } = c;
      if (input.pagination === 'none' && !input.recursive) {
        throw invalidParameter('pagination cannot be "none" unless "recursive" is true');
      }
      const query = { ref: input.ref, path: input.path, recursive: input.recursive === true };
      const read = (part: Part) => treePage(deps, repositoryOf(deps, project), query, part);
      if (input.pagination === 'none') return (await read({ from: 0, size: Number.MAX_SAFE_INTEGER })).json;
      return c.page(async ({ offset, size }) => {
        if (input.pagination !== 'keyset') {
          const { json, total } = await read({ from: offset, size });
          return { rows: json, total };
        }
        const { json, next } = await read({ from: input.page_token ?? '', size });
        return { rows: json, next: next === null ? null : { page_token: next, per_page: size } };
      });
    },
  }),
];
