import { invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { addFile, publish } from '../../../packages/package-registry.publish.ts';
import { discardOnError, receiveUpload, requireForm } from '../receive-upload.ts';
import { type Chart, ChartError, isChartName } from './chart.ts';
import { chartOf, MAX_UNPACKED } from './helm.archive.ts';
import { factsOf } from './helm.find.ts';

/** Validates a channel. @throws ApiError 400 */
export function channelOf(text: string): string {
  if (!isChartName(text)) throw invalidParameter('channel is invalid');
  return text;
}

/** Publishes a chart. @throws ApiError 400, 401, 403, 404 */
export async function storeChart(c: BaseContext, project: Project, channel: string): Promise<void> {
  const { deps, caller } = c;
  requireForm(c, 'chart');
  const upload = await receiveUpload(c, 'helm', 'chart');
  const { file } = upload;
  const chart = await discardOnError(c, upload, () => readStored(c, file.sha256));
  const { name, version } = chart;
  const publication = { caller, projectId: project.id, type: 'helm', name, version, files: [file] };
  await publish(deps, publication, (publishing) =>
    addFile(deps, publishing, file, `${name}-${version}.tgz`, factsOf(channel, chart)),
  );
}

async function readStored(c: BaseContext, sha256: string): Promise<Chart> {
  await c.hold(MAX_UNPACKED);
  const stored = await c.deps.blobs.get(sha256);
  if (stored === null) throw notFound();
  try {
    return await chartOf(stored);
  } catch (error) {
    throw error instanceof ChartError ? invalidParameter(error.message) : error;
  }
}
