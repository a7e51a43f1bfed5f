import { Type } from 'typebox';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { notFound } from '../../../core/core.errors.ts';
import { escapeHtml } from '../../../core/html.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { inProject } from '../../api.access.ts';
import { releaseUrl } from './releases.addresses.ts';
import { releaseFeed } from './releases.feed.ts';
import { assetUrl, getRelease, latestRelease } from './releases.find.ts';
import { ReleaseTag } from './releases.inputs.ts';

const PATH = '/:id/-/releases';
const FEED_LENGTH = 20;
const AWAY = {
  status: 302,
  empty: true,
  headers: { Location: Type.String({ description: 'URL of the redirect.' }) },
} as const;

const shared = {
  method: 'GET',
  root: true,
  access: inProject('read_code', { anonymous: true, sees: 'read_release' }),
  credentials: API_AND_JOB_TOKENS,
  errors: [404],
} as const;

async function leadToLatest({ deps, project, reply }: BaseContext & { project: Project }, suffix: string) {
  const { tag } = await latestRelease(deps.db, project.id);
  const rest = suffix.split('/').map(encodeURIComponent).join('/');
  reply.header('Location', releaseUrl(deps, project, tag) + (rest === '' ? '' : `/${rest}`));
}

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);

/** Page shown before leaving to another host, so that users do not mistake its contents for this server's. */
const notice = (url: string): string => `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>External link</title></head>
<body>
<p>This asset is not on this server. You are about to be taken to:</p>
<p><a href="${escapeHtml(url)}" rel="nofollow noreferrer noopener">${escapeHtml(url)}</a></p>
</body>
</html>
`;

/**
 * Whether the caller may read everything in the evidence: not everyone who may read the code may see milestones and
 * jobs.
 */
function mayReadAll(permissions: ProjectPermissions, summary: string): boolean {
  const { milestones, report_artifacts = [] } = parseJson<{
    release: { milestones: unknown[]; report_artifacts?: unknown[] };
  }>(summary).release;
  return (
    (milestones.length === 0 || permissions.can('read_milestone')) &&
    (report_artifacts.length === 0 || permissions.can('read_pipeline'))
  );
}

/** Web URLs of releases. */
export const releasePageRoutes: readonly Route[] = [
  route({
    ...shared,
    path: `${PATH}.atom`,
    operationId: 'getReleasesFeed',
    summary: 'Get the releases of a project as an Atom feed',
    description: 'The twenty latest releases.',
    access: inProject('read_release', { anonymous: true }),
    success: { status: 200, contentType: 'application/atom+xml' },
    handler: async ({ deps, project, reply }) => {
      const rows = await deps.db
        .selectFrom('releases')
        .selectAll()
        .where('project_id', '=', project.id)
        .orderBy('released_at', 'desc')
        .orderBy('id', 'desc')
        .limit(FEED_LENGTH)
        .execute();
      return reply.type('application/atom+xml; charset=utf-8').send(releaseFeed(deps, project, rows));
    },
  }),
  route({
    ...shared,
    path: `${PATH}/permalink/latest`,
    operationId: 'getLatestReleasePage',
    summary: 'Redirect to the page of the latest release',
    success: AWAY,
    handler: (c) => leadToLatest(c, ''),
  }),
  route({
    ...shared,
    path: `${PATH}/permalink/latest/*suffix_path`,
    operationId: 'getLatestReleasePagePart',
    summary: 'Redirect to a page or file of the latest release',
    params: Type.Object({
      suffix_path: Type.String({
        description: 'Path below that of the release.',
        examples: ['downloads/bin/app-linux'],
      }),
    }),
    success: AWAY,
    handler: (c) => leadToLatest(c, c.params.suffix_path),
  }),
  route({
    ...shared,
    path: `${PATH}/:tag_name/downloads/*direct_asset_path`,
    operationId: 'downloadReleaseAssetPage',
    summary: 'Download an asset of a release by its permanent URL',
    description: 'Redirects to assets on this server. For external assets, a page with the link is shown.',
    params: Type.Object({
      ...ReleaseTag.properties,
      direct_asset_path: Type.String({ description: 'Path of the asset.', examples: ['bin/app-linux'] }),
    }),
    success: { status: 200, contentType: 'text/html', description: 'Page with the link to the external asset.' },
    otherSuccess: AWAY,
    handler: async ({ deps, project, params, reply }) => {
      const release = await getRelease(deps.db, project.id, params.tag_name);
      const url = await assetUrl(deps.db, release.id, params.direct_asset_path);
      if (hostOf(url) !== hostOf(deps.externalUrl())) return reply.type('text/html; charset=utf-8').send(notice(url));
      reply.code(302).header('Location', url);
      return undefined;
    },
  }),
  route({
    ...shared,
    path: `${PATH}/:tag_name/evidences/:evidence_id.json`,
    operationId: 'getReleaseEvidence',
    summary: 'Get evidence of a release',
    description:
      'For jobs with reports, it contains the location of their artifacts, which are kept forever (Ultimate).',
    params: Type.Object({
      ...ReleaseTag.properties,
      evidence_id: Type.Integer({ description: 'Id of the evidence.' }),
    }),
    success: { status: 200, contentType: 'application/json', description: 'Snapshot of the release at collection.' },
    handler: async ({ deps, project, permissions, params, reply }) => {
      const evidence = await deps.db
        .selectFrom('release_evidences')
        .innerJoin('releases', 'releases.id', 'release_evidences.release_id')
        .select('summary')
        .where('release_evidences.id', '=', params.evidence_id)
        .where('releases.project_id', '=', project.id)
        .where('releases.tag', '=', params.tag_name)
        .executeTakeFirst();
      if (evidence === undefined || !mayReadAll(permissions, evidence.summary)) throw notFound();
      return reply.type('application/json').send(evidence.summary);
    },
  }),
];
