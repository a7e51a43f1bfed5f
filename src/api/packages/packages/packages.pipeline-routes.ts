import { Type } from 'typebox';
import { countOf } from '../../../db/paginate.ts';
import { readIdCursor } from '../../../http/http.cursor.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { setKeysetHeaders, setPageHeaders } from '../../../http/pagination.ts';
import { requireProjectAbility } from '../../api.access.ts';
import { readsPackages } from '../registries.access.ts';
import { READ_PACKAGES, WITH_DEPLOY_AND_JOB_TOKENS } from '../registries.credentials.ts';
import { DETAILED, findPackage } from './packages.find.ts';
import { listPipelines, PackageId } from './packages.inputs.ts';
import { PackagePipeline } from './packages.responses.ts';
import { pipelinesOf, presentPipelines } from './packages.view-rows.ts';

/** Maximum page size (part 1, section 8). */
const MAX_PER_PAGE = 20;

/** Callers who may read packages and pipelines of the project. */
const readsBoth: typeof readsPackages = {
  ...readsPackages,
  check: async (request) => {
    const scope = await readsPackages.check(request);
    requireProjectAbility(scope.permissions, 'read_pipeline', request.caller);
    return scope;
  },
};

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
    handler: async ({ deps, project, params, input, page, request, reply }) => {
      const row = await findPackage(deps.db, project.id, params.package_id, DETAILED);
      const size = Math.min(page.size, MAX_PER_PAGE);
      const url = deps.externalUrl();
      const webUrls = new Map([[project.id, `${url}/${project.full_path}`]]);
      const all = pipelinesOf(deps.db, row);
      if (input.cursor !== undefined || input.pagination === 'keyset') {
        const before = readIdCursor(Buffer.from(input.cursor ?? '', 'base64url').toString());
        const from = before === undefined ? all : all.where('package_pipelines.pipeline_id', '<', before);
        const rows = await from.limit(size + 1).execute();
        const shown = rows.slice(0, size);
        const next = rows.length > size ? Buffer.from(String(shown.at(-1)!.id)).toString('base64url') : null;
        setKeysetHeaders(url, request, reply, next === null ? null : { cursor: next });
        return presentPipelines(deps, shown, webUrls);
      }
      const offset = (page.number - 1) * size;
      const rows = await all.limit(size).offset(offset).execute();
      setPageHeaders(url, request, reply, { ...page, size, offset }, { total: await countOf(deps.db, all) });
      return presentPipelines(deps, rows, webUrls);
    },
  }),
];
