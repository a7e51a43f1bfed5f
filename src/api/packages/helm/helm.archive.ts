import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { readDocuments } from '../../../ci/config/yaml/yaml.compose.ts';
import { YamlError } from '../../../ci/config/yaml/yaml-error.ts';
import { TarGuard } from '../../../storage/tar-guard.ts';
import { type Chart, ChartError, readChart } from './chart.ts';

const MiB = 1024 * 1024;
/** Maximum unpacked bytes before Chart.yaml, which Helm packs first. All of it may be in memory. */
export const MAX_UNPACKED = 32 * MiB;
const MAX_CHART_FILE = MiB;
/** Maximum size of Chart.yaml, which an index repeats. */
const MAX_CHART = 64 * 1024;
/** In the top-level folder of the chart: those of subcharts are deeper. */
const CHART_FILE = /^(?:\.\/)?[^/]+\/Chart\.yaml$/;

/** Messages of tar-stream for an invalid or truncated archive. */
const BROKEN = /^(?:Invalid tar header|Unexpected end of data)/;
const noArchive = () => new ChartError('the chart is not a gzipped tar archive');

/** Reads Chart.yaml from a gzipped tar archive, and stops there. @throws ChartError */
export async function chartOf(archive: Readable): Promise<Chart> {
  const content = await chartFile(archive);
  const chart = readChart(parse(content));
  if (Buffer.byteLength(JSON.stringify(chart)) > MAX_CHART) throw new ChartError('Chart.yaml is too large');
  return chart;
}

function parse(content: Buffer) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    const documents = readDocuments(text, 1, { meaning: (scalar) => (/^(?:~|null)?$/i.test(scalar) ? null : scalar) });
    return documents[0];
  } catch (error) {
    if (error instanceof YamlError || error instanceof TypeError) throw new ChartError('Chart.yaml is not valid YAML');
    throw error;
  }
}

async function* limitUnpacked(unpacked: Readable, fail: (error: Error) => void): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_UNPACKED) return fail(new ChartError('the archive is too large before its Chart.yaml'));
    yield chunk;
  }
}

async function chartFile(archive: Readable): Promise<Buffer> {
  const gunzip = createGunzip();
  const tar = extract();
  // The first error: later ones are its consequences.
  let cause: Error | undefined;
  const fail = (error: Error) => {
    cause ??= error;
    tar.destroy(error);
  };
  const guard = new TarGuard(noArchive);
  const unpacked = Readable.from(guard.watch(limitUnpacked(gunzip, fail)), { objectMode: false });
  archive
    .on('error', fail)
    .pipe(gunzip)
    .on('error', () => fail(noArchive()));
  unpacked.on('error', fail).pipe(tar);
  try {
    for await (const entry of tar) {
      guard.enter(entry.header);
      const { name, type, size = 0 } = entry.header;
      if (type !== 'file' || !CHART_FILE.test(name)) {
        entry.resume();
        continue;
      }
      if (size > MAX_CHART_FILE) throw new ChartError('Chart.yaml is too large');
      return await buffer(entry);
    }
  } catch (error) {
    throw cause ?? (BROKEN.test((error as Error).message) ? noArchive() : error);
  } finally {
    archive.destroy();
    gunzip.destroy();
    unpacked.destroy();
    tar.destroy();
  }
  throw new ChartError('Chart.yaml not found within a directory');
}
