import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { optional, pagination } from '../../../http/http.schema.ts';
import { signedIn } from '../../api.access.ts';
import { namespaceQuery, pathInUse, presentNamespaces, readableNamespace } from './namespaces.queries.ts';
import { Namespace } from './namespaces.responses.ts';

const params = Type.Object({ id: Type.String({ description: 'Id or URL-encoded full path of the namespace.' }) });

export const namespaceRoutes = [
  route({
    method: 'GET',
    path: '/namespaces',
    summary: 'List the namespaces of the caller',
    description: 'The personal namespace and groups of the caller; all namespaces for administrators.',
    access: signedIn,
    input: Type.Object({
      ...optional({
        search: Type.String({ maxLength: 1_000 }),
        owned_only: Type.Boolean({ default: false }),
        top_level_only: Type.Boolean({ default: false }),
        full_path_search: Type.Boolean({ default: false, description: 'Search full paths as well.' }),
        requested_hosted_plan: Type.String(),
      }).properties,
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(Namespace) },
    handler: (c) =>
      c.page(namespaceQuery(c.deps, c.caller, c.input), (rows) => presentNamespaces(c.deps, c.caller, rows)),
  }),
  route({
    method: 'GET',
    path: '/namespaces/:id',
    summary: 'Get a namespace',
    access: signedIn,
    params,
    success: { status: 200, schema: Namespace },
    errors: [404],
    handler: async ({ deps, caller, params }) => {
      const namespace = await readableNamespace(deps, caller, params.id);
      return (await presentNamespaces(deps, caller, [namespace]))[0];
    },
  }),
  route({
    method: 'GET',
    path: '/namespaces/:id/exists',
    summary: 'Check whether a path is taken, and suggest a free one',
    access: signedIn,
    params: Type.Object({ id: Type.String({ maxLength: 255, description: 'A single path segment.' }) }),
    input: optional({
      parent_id: Type.Integer({ description: 'Id of the parent group; top level when absent.' }),
    }),
    success: { status: 200, schema: Type.Object({ exists: Type.Boolean(), suggests: Type.Array(Type.String()) }) },
    handler: ({ deps, caller, params, input }) => pathInUse(deps, caller, params.id, input.parent_id),
  }),
];
