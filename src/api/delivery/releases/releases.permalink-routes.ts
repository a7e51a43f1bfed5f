import { Type } from 'typebox';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { Enum, optional } from '../../../http/http.schema.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { inProject } from '../../api.access.ts';
import { releaseApiUrl } from './releases.addresses.ts';
import { assetUrl, getRelease, latestRelease } from './releases.find.ts';
import { ReleaseTag } from './releases.inputs.ts';

const PATH = '/projects/:id/releases';
const LOCATION = { Location: Type.String({ description: 'URL of the redirect.' }) };

const shared = {
  method: 'GET',
  access: inProject('read_code', { anonymous: true, sees: 'read_release' }),
  credentials: API_AND_JOB_TOKENS,
  success: { status: 302, empty: true, headers: LOCATION },
  errors: [404],
} as const;

const latest = {
  ...shared,
  input: optional({
    order_by: Enum(['released_at'], { description: 'Always `latest`: the release with the latest release date.' }),
  }),
} as const;

/** Redirects to the latest release, keeping the rest of the path and the query. */
async function leadToLatest(c: BaseContext & { project: Project }, suffix: string): Promise<void> {
  const { tag } = await latestRelease(c.deps.db, c.project.id);
  const query = new URLSearchParams(c.request.url.split('?')[1] ?? '');
  query.delete('order_by');
  const rest = suffix.split('/').map(encodeURIComponent).join('/');
  const url = releaseApiUrl(c.deps, c.project, tag) + (rest === '' ? '' : `/${rest}`);
  c.reply.header('Location', query.size === 0 ? url : `${url}?${query}`);
}

/** URLs that stay the same across releases. */
export const permalinkRoutes: readonly Route[] = [
  route({
    ...latest,
    path: `${PATH}/permalink/latest`,
    operationId: 'getProjectLatestRelease',
    summary: 'Redirect to the latest release of a project',
    handler: (c) => leadToLatest(c, ''),
  }),
  route({
    ...latest,
    path: `${PATH}/permalink/latest/*suffix_path`,
    operationId: 'getProjectLatestReleasePart',
    summary: 'Redirect to a resource of the latest release of a project',
    params: Type.Object({
      suffix_path: Type.String({
        description: 'Path below that of the release.',
        examples: ['downloads/bin/app-linux'],
      }),
    }),
    handler: (c) => leadToLatest(c, c.params.suffix_path),
  }),
  route({
    ...shared,
    path: `${PATH}/:tag_name/downloads/*direct_asset_path`,
    operationId: 'downloadProjectReleaseAsset',
    summary: 'Redirect to an asset of a release',
    params: Type.Object({
      ...ReleaseTag.properties,
      direct_asset_path: Type.String({ description: 'Path of the asset.', examples: ['bin/app-linux'] }),
    }),
    handler: async ({ deps, project, params, reply }) => {
      const release = await getRelease(deps.db, project.id, params.tag_name);
      reply.header('Location', await assetUrl(deps.db, release.id, params.direct_asset_path));
    },
  }),
];
