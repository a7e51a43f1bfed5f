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
const LOCATION = { Location: Type.String({ description: 'Where it leads.' }) };

const shared = {
  method: 'GET',
  access: inProject('read_code', { anonymous: true, sees: 'read_release' }),
  credentials: API_AND_JOB_TOKENS,
  success: { status: 302, empty: true, headers: LOCATION },
  errors: [404],
} as const;

const latest = {
  ...shared,
  input: optional({ order_by: Enum(['released_at'], { description: 'What is the latest: what was released last.' }) }),
} as const;

/** Leads to the latest release, with what follows in the address and the query. */
async function leadToLatest(c: BaseContext & { project: Project }, suffix: string): Promise<void> {
  const { tag } = await latestRelease(c.deps.db, c.project.id);
  const query = new URLSearchParams(c.request.url.split('?')[1] ?? '');
  query.delete('order_by');
  const rest = suffix.split('/').map(encodeURIComponent).join('/');
  const url = releaseApiUrl(c.deps, c.project, tag) + (rest === '' ? '' : `/${rest}`);
  c.reply.header('Location', query.size === 0 ? url : `${url}?${query}`);
}

/** Addresses that stay the same while releases come and go. */
export const permalinkRoutes: readonly Route[] = [
  route({
    ...latest,
    path: `${PATH}/permalink/latest`,
    operationId: 'getProjectLatestRelease',
    summary: 'Go to the latest release of a project',
    handler: (c) => leadToLatest(c, ''),
  }),
  route({
    ...latest,
    path: `${PATH}/permalink/latest/*suffix_path`,
    operationId: 'getProjectLatestReleasePart',
    summary: 'Go to what belongs to the latest release of a project',
    params: Type.Object({
      suffix_path: Type.String({ description: 'What follows in the address.', examples: ['downloads/bin/app-linux'] }),
    }),
    handler: (c) => leadToLatest(c, c.params.suffix_path),
  }),
  route({
    ...shared,
    path: `${PATH}/:tag_name/downloads/*direct_asset_path`,
    operationId: 'downloadProjectReleaseAsset',
    summary: 'Go to an asset of a release',
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
