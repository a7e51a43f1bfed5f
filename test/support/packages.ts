import { Readable } from 'node:stream';
import type { Response } from 'light-my-request';
import type { Package, PackageStatus } from '../../src/db/tables/packages.table.ts';
import type { Deps } from '../../src/deps.ts';
import { insertName } from '../../src/packages/package-registry.names.ts';
import { receiveFile } from '../../src/packages/receive.ts';
import { expectStatus } from './app.ts';
import type { Factories } from './factories.ts';

let made = 0;

/** A version of a package, by its rows; files are given as names and contents. */
export async function makePackage(
  deps: Deps,
  projectId: number,
  options: {
    type?: string;
    name?: string;
    version?: string | null;
    status?: PackageStatus;
    creatorId?: number;
    createdAt?: string;
    files?: Record<string, string>;
  } = {},
): Promise<Package> {
  made += 1;
  const { type = 'generic', name = `package${made}`, version = '1.0.0', status = 'default', files = {} } = options;
  const now = options.createdAt ?? deps.clock.now().toISOString();
  const row = await deps.db
    .insertInto('packages')
    .values({
      project_id: projectId,
      package_type: type,
      name,
      version,
      name_key: name,
      version_key: version ?? '',
      status,
      creator_id: options.creatorId ?? 1,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertName(deps.db, row);
  for (const [file_name, content] of Object.entries(files)) {
    const { size, sha256, md5, sha1 } = await receiveFile(deps, type, Readable.from([Buffer.from(content)]));
    const file = { package_id: row.id, file_name, size, sha256, md5, sha1, created_at: now, updated_at: now };
    await deps.db.insertInto('package_files').values(file).execute();
  }
  return row;
}

/**
 * Asserts that Maintainers delete a package, once, and nobody below them.
 * @param success the status that tells them so
 */
export async function deletedByMaintainers(
  staff: Awaited<ReturnType<Factories['members']>>,
  success: 200 | 204,
  remove: (token: string | null) => Promise<Response>,
): Promise<void> {
  for (const [token, status] of [
    [null, 401],
    [staff.stranger.token, 404],
    [staff.reporter.token, 403],
    [staff.developer.token, 403],
    [staff.maintainer.token, success],
    [staff.maintainer.token, 404],
  ] as const) {
    expectStatus(await remove(token), status);
  }
}
