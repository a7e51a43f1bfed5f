import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { blobSuccess } from '../../../http/send-blob.ts';
import { collectionVersionOf } from '../../../packages/edition.ts';
import { UPLOAD_BODY } from '../receive-upload.ts';
import { publishes, readsRegistry } from '../registries.access.ts';
import { CHALLENGED, READ_PACKAGES, WRITE_PACKAGES } from '../registries.credentials.ts';
import { cachedDocument, sendDocument } from '../registries.documents.ts';
import { CREATED, CreatedMessage } from '../registries.responses.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { chartFile, charts, chartsIn } from './helm.find.ts';
import { indexYaml } from './helm.index-yaml.ts';
import { channelOf, storeChart } from './helm.upload.ts';

const channel = Type.String({ description: 'Channel of the charts, such as `stable`.', examples: ['stable'] });
const shared = { tag: 'Helm charts', credentials: CHALLENGED } as const;
const reading = { ...shared, method: 'GET', access: readsRegistry, scopes: READ_PACKAGES } as const;

/** What a chart takes of memory while an index is made, most of them. */
const CHART_BYTES = 16 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** An index never has more, whatever is set. */
const MAX_CHARTS = 10_000;

/** Charts as helm's plugin for pushing them, or curl, publishes them and helm installs them (part 1, section 4.7). */
export const helmRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/projects/:id/packages/helm/api/:channel/charts',
    operationId: 'uploadHelmChart',
    summary: 'Publish a Helm chart',
    description:
      'Takes a multipart body with the packed chart in `chart`; its name and version are those of the Chart.yaml in it. The same version again takes the place of the earlier one.',
    access: publishes,
    scopes: WRITE_PACKAGES,
    params: Type.Object({ channel }),
    body: UPLOAD_BODY,
    success: { status: 201, schema: CreatedMessage },
    handler: async (c) => {
      await storeChart(c, c.project, channelOf(c.params.channel));
      return CREATED;
    },
  }),
  route({
    ...reading,
    path: '/projects/:id/packages/helm/:channel/index.yaml',
    operationId: 'getHelmIndex',
    summary: 'Index of the Helm charts in a channel',
    description:
      'The last charts, a thousand unless administrators say otherwise, each with its newest file; none for a channel that is not there.',
    params: Type.Object({ channel }),
    success: { status: 200, contentType: 'text/yaml', description: 'The index as helm reads it.' },
    handler: async (c) => {
      const { db, snapshot } = c.deps;
      const { id, created_at } = c.project;
      const wanted = channelOf(c.params.channel);
      const { text, rows } = await snapshot.get(`helm ${id}`, () => collectionVersionOf(charts(db, id)));
      const bytes = Math.min(rows * CHART_BYTES, MAX_BYTES);
      const most = Math.min(c.deps.settings.now.helm_max_packages_count, MAX_CHARTS);
      const document = await cachedDocument(c, `helm ${id} ${wanted} ${text} ${most}`, bytes, async () => {
        const found = await chartsIn(db, id, wanted, most);
        const generated = found[0]?.createdAt ?? created_at;
        return indexYaml(found, generated, `/api/v4/projects/${id}/packages/helm`);
      });
      return sendDocument(c, document, 'text/yaml; charset=utf-8');
    },
  }),
  route({
    ...reading,
    ...blobSuccess('application/octet-stream', 'The packed chart.'),
    path: '/projects/:id/packages/helm/:channel/charts/:file_name',
    operationId: 'downloadHelmChart',
    summary: 'Download a Helm chart',
    params: Type.Object({
      channel,
      file_name: Type.String({
        description: 'Name and version of the chart, with `.tgz`.',
        examples: ['app-1.0.0.tgz'],
      }),
    }),
    handler: async (c) => {
      const { file_name } = c.params;
      const file = await chartFile(c.deps.db, c.project.id, channelOf(c.params.channel), file_name);
      if (file === undefined) throw notFound('Package');
      return sendPackageFile(c, file);
    },
  }),
];
