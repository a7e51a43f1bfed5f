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

const channel = Type.String({ description: 'Channel of the charts, for example `stable`.', examples: ['stable'] });
const shared = { tag: 'Helm charts', credentials: CHALLENGED } as const;
const reading = { ...shared, method: 'GET', access: readsRegistry, scopes: READ_PACKAGES } as const;

/** Memory of a chart while an index is built, in bytes. */
const CHART_BYTES = 16 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** Upper bound of the setting for the number of charts in an index. */
const MAX_CHARTS = 10_000;

/** Helm charts, published by Helm's push plugin or curl (part 1, section 4.7). */
export const helmRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/projects/:id/packages/helm/api/:channel/charts',
    operationId: 'uploadHelmChart',
    summary: 'Publish a Helm chart',
    description:
      'The multipart field `chart` contains the packaged chart. Name and version are read from its Chart.yaml. Publishing a version again replaces it.',
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
    summary: 'Get the index of the Helm charts in a channel',
    description:
      'The latest charts, by default at most a thousand, each with its newest file; empty for an unknown channel.',
    params: Type.Object({ channel }),
    success: { status: 200, contentType: 'text/yaml', description: 'The index.yaml for Helm.' },
    handler: async (c) => {
      const { db, snapshot } = c.deps;
      const { id, created_at } = c.project;
      const channelName = channelOf(c.params.channel);
      const { text, rows } = await snapshot.get(`helm ${id}`, () => collectionVersionOf(charts(db, id)));
      const bytes = Math.min(rows * CHART_BYTES, MAX_BYTES);
      const limit = Math.min(c.deps.settings.now.helm_max_packages_count, MAX_CHARTS);
      const document = await cachedDocument(c, `helm ${id} ${channelName} ${text} ${limit}`, bytes, async () => {
        const indexed = await chartsIn(db, id, channelName, limit);
        const generated = indexed[0]?.createdAt ?? created_at;
        return indexYaml(indexed, generated, `/api/v4/projects/${id}/packages/helm`);
      });
      return sendDocument(c, document, 'text/yaml; charset=utf-8');
    },
  }),
  route({
    ...reading,
    ...blobSuccess('application/octet-stream', 'The packaged chart.'),
    path: '/projects/:id/packages/helm/:channel/charts/:file_name',
    operationId: 'downloadHelmChart',
    summary: 'Download a Helm chart',
    params: Type.Object({
      channel,
      file_name: Type.String({
        description: 'Name and version of the chart, followed by `.tgz`.',
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
