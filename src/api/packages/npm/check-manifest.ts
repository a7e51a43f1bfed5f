import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { INSTALLABLE } from '../../../packages/package-registry.find.ts';
import { TarGuard } from '../../../storage/tar-guard.ts';

const CHECK = jobKind<{ packageId: number }>('npm.check_manifest', { lane: 'slow' });
const MIB = 1024 * 1024;
/** Maximum number of unpacked bytes to inspect: absolute, and as a multiple of the file size. */
const LOOKED_AT = 64 * MIB;
const RATIO = 20;
const MAX_PACKAGE_JSON = 4 * MIB;
/** npm ignores the name of the top-level folder. */
const PACKAGE_JSON = /^(?:\.\/)?[^/]+\/package\.json$/;

/** Enqueues the check of a published version, with the handle of the transaction that publishes it. */
export const enqueueManifestCheck = (deps: Deps, db: Db, { id, project_id }: Package): Promise<unknown> =>
  deps.jobs.enqueue(db, CHECK, { packageId: id }, { projectId: project_id });

/** Registers the job of `enqueueManifestCheck`. */
export function registerNpm(deps: Deps): void {
  deps.jobs.register(CHECK, ({ packageId }, { signal }) => checkManifest(deps, packageId, signal));
}

/**
 * Deletes a version whose file declares a different name or version: clients would install something else than
 * requested.
 */
async function checkManifest(deps: Deps, packageId: number, signal: AbortSignal): Promise<void> {
  const row = await deps.db
    .selectFrom('packages')
    .innerJoin('package_files', 'package_files.package_id', 'packages.id')
    .select(['packages.name', 'packages.version_key', 'package_files.sha256', 'package_files.size'])
    .where('packages.id', '=', packageId)
    .where('packages.status', 'in', INSTALLABLE)
    .where('package_files.status', '=', 'default')
    .executeTakeFirst();
  const file = row && (await deps.blobs.get(row.sha256));
  if (row === undefined || !file) return;
  const packageJson = await packageJsonOf(file, LOOKED_AT + RATIO * row.size, signal);
  if (packageJson === null) return;
  if (packageJson.name === row.name && packageJson.version === withoutBuild(row.version_key)) return;
  await deps.db
    .updateTable('packages')
    .set({ status: 'error', status_message: 'Package manifest is not coherent', updated_at: timestamp(deps.clock) })
    .where('id', '=', packageId)
    .where('status', 'in', INSTALLABLE)
    .execute();
}

const withoutBuild = (version: string): string => version.split('+', 1)[0]!;

/** Normalizes a version as npm does in a package.json. */
const cleaned = (version: unknown): string =>
  withoutBuild(
    String(version)
      .trim()
      .replace(/^[=v\s]+/, ''),
  );

interface Named {
  name: string;
  version: string;
}

/**
 * Returns name and version of the package.json in an archive.
 * @param maxBytes maximum number of unpacked bytes to inspect
 * @returns null if npm cannot read it, or there is none
 */
export async function packageJsonOf(file: Readable, maxBytes: number, signal: AbortSignal): Promise<Named | null> {
  const entries = extract();
  const guard = new TarGuard(() => new Error('the archive cannot be read'));
  const unpacked = pipeline(
    file,
    createGunzip(),
    (bytes) => guard.watch(limited(bytes as AsyncIterable<Buffer>, maxBytes)),
    entries,
    { signal },
  ).catch(() => {});
  let text: string | null = null;
  try {
    for await (const entry of entries) {
      guard.enter(entry.header);
      const { name, size = 0, type } = entry.header;
      if (type === 'file' && PACKAGE_JSON.test(name) && size <= MAX_PACKAGE_JSON) {
        const chunks: Buffer[] = [];
        for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
        // Of several files, unpacking keeps the last.
        text = Buffer.concat(chunks).toString('utf8');
      } else entry.resume();
    }
  } catch {
    // Files before the point of failure are accepted.
  }
  await unpacked;
  signal.throwIfAborted();
  return text === null ? null : namedIn(text);
}

async function* limited(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw new Error('the archive exceeds the size limit of this check');
    yield chunk;
  }
}

function namedIn(text: string): Named | null {
  try {
    const { name, version } = JSON.parse(text.replace(/^\uFEFF/, '')) as { name?: unknown; version?: unknown };
    return { name: String(name).trim(), version: cleaned(version) };
  } catch {
    return null;
  }
}
