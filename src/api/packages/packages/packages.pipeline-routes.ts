import { Type } from 'typebox';
import { readIdCursor } from '../../../http/http.cursor.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { byKeyset } from '../../../http/listing.ts';
import { requireProjectAbility } from '../../api.access.ts';
import { readsPackages } from '../registries.access.ts';
import { READ_PACKAGES, WITH_DEPLOY_AND_JOB_TOKENS } from '../registries.credentials.ts';
import { DETAILED, findPackage } from './packages.find.ts';
import { listPipelines, PackageId } from './packages.inputs.ts';
import { PackagePipeline } from './packages.responses.ts';
import { pipelinesOf, presentPipelines } from './packages.view-rows.ts';

/** Maximum page size (part 1, section 8). */
const LIMITS = { maxSize: 20 };

/** Callers who may read packages and pipelines of the project. */
const readsBoth: typeof readsPackages = {
  ...readsPackages,
  check: async (request) => {
    const scope = await readsPackages.check(request);
    requireProjectAbility(scope.permissions, 'read_pipeline', request.caller);
    return scope;
  },
};

/** The pipelines after a cursor, which is an id in Base64. @throws ApiError 400 */
function following(all: ReturnType<typeof pipelinesOf>, cursor = '') {
  const before = readIdCursor(Buffer.from(cursor, 'base64url').toString());
  const rest = before === undefined ? all : all.where('package_pipelines.pipeline_id', '<', before);
  return byKeyset(rest, ({ id }) => ({ cursor: Buffer.from(String(id)).toString('base64url') }));
}

export const packagePipelineRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/packages/:package_id/pipelines',
    tag: 'Packages',
    credentials: WITH_DEPLOY_AND_JOB_TOKENS,
    summary: 'List the pipelines that published a package',
    description: 'Newest first, at most 20 per page. Only for callers who may see the pipelines of the project.',
    access: readsBoth,
    scopes: READ_PACKAGES,
    params: PackageId,
    input: listPipelines,
    success: { status: 200, schema: Type.Array(PackagePipeline) },
    handler: async (c) => {
      const { deps, project, input } = c;
      const all = pipelinesOf(deps.db, await findPackage(deps.db, project.id, c.params.package_id, DETAILED));
      const webUrls = new Map([[project.id, `${deps.externalUrl()}/${project.full_path}`]]);
      const list = input.cursor !== undefined || input.pagination === 'keyset' ? following(all, input.cursor) : all;
      return c.page(list, (rows) => presentPipelines(deps, rows, webUrls), LIMITS);
    },
  }),
];
