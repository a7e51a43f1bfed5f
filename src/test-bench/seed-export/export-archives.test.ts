import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { rawZip } from '../../../test/support/zip.ts';
import { packagesOf } from './export-packages.ts';
import { pipelinesOf } from './export-pipelines.ts';
import type { ExportSource } from './export-source.ts';

const SMALL = 1_000;
/** More than a seed may have, though little as an archive. */
const LARGE = 51 * 1024 * 1024;

/** A server with one pipeline and one package, whose files are this. */
const serverOf = (archive: Buffer): ExportSource => ({
  get: async (path) => {
    if (/\/pipelines\/1$/.test(path)) return { id: 1, ref: 'main' };
    if (path.includes('/pipelines?')) return [{ id: 1 }];
    if (path.includes('/pipelines/1/jobs')) return [{ id: 1, name: 'a', status: 'success', artifacts_file: {} }];
    if (path.includes('/package_files')) return [{ file_name: 'a.tgz' }];
    if (path.includes('/packages')) return [{ id: 1, name: 'a', version: '1.0.0', package_type: 'npm' }];
    return [];
  },
  bytes: async (path) => (path.endsWith('/trace') ? null : archive),
  bundle: async () => null,
});

const zipOf = (bytes: number) => rawZip([{ name: 'zeros', content: Buffer.alloc(bytes) }]);

async function tarOf(bytes: number): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: 'package/zeros' }, Buffer.alloc(bytes));
  tar.finalize();
  return gzipSync(Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>)));
}

test('archives that hold more than a seed may have are left out', async () => {
  for (const [bytes, isThere] of [
    [SMALL, true],
    [LARGE, false],
  ] as const) {
    const [pipeline] = await pipelinesOf(serverOf(zipOf(bytes)), '/projects/1');
    const [job] = pipeline!.jobs as { artifacts?: object }[];
    assert.deepEqual(Object.keys(job!.artifacts ?? {}), isThere ? ['zeros'] : []);
    const [one] = await packagesOf(serverOf(await tarOf(bytes)), '/projects/1');
    assert.deepEqual(Object.keys((one!.files as object | undefined) ?? {}), isThere ? ['zeros'] : []);
  }
});
