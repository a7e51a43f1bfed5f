import { lineageIds } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import type { CallerInProject } from '../../../access/caller-in-project.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import { lockTrees } from '../../../db/namespace-tree.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Deps } from '../../../deps.ts';
import { othersBelow } from '../../../packages/package-registry.find.ts';
import { addFile, publish } from '../../../packages/package-registry.publish.ts';
import type { ReceivedFile } from '../../../packages/receive.ts';
import { enqueueManifestCheck } from './check-manifest.ts';
import type { Manifest } from './manifest.ts';
import { npmError } from './npm.errors.ts';
import { scopeOf, tarballName } from './npm.names.ts';
import { pointTag } from './npm.tags.ts';

/** Metadata of a file for this registry only. */
export interface TarballMetadata {
  /** SHA-512 of the file, in npm's format. */
  integrity: string;
}

const isThere = () => npmError(403, 'Package already exists.');

/** A version with its file. */
export interface Publication {
  manifest: Manifest;
  file: ReceivedFile;
}

/** Package and project to publish to. */
interface Target {
  caller: Caller;
  projectId: number;
  name: string;
}

/** Publishes a version with its file, and sets its tag. @throws ApiError 401, 403, 404 */
export async function publishVersion(
  deps: Deps,
  { caller, projectId, name }: Target,
  { manifest: { version, tag, stored }, file }: Publication,
): Promise<void> {
  const publication = { caller, projectId, type: 'npm', name, version, files: [file] };
  await publish(deps, publication, async (publishing) => {
    const { db, row, isNew, standing: scope } = publishing;
    if (!isNew) throw isThere();
    await requireOneInTree(db, scope, row);
    await db
      .updateTable('packages')
      .set({ metadata: JSON.stringify(stored) })
      .where('id', '=', row.id)
      .execute();
    const facts: TarballMetadata = { integrity: integrityOf(file) };
    await addFile(deps, publishing, file, tarballName(name, version), facts);
    await pointTag(deps, db, row, tag);
    await enqueueManifestCheck(deps, db, row);
  });
}

const integrityOf = ({ sha512 }: ReceivedFile): string => `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`;

/**
 * A package whose scope is the top-level namespace has unique versions across all its projects.
 * @throws ApiError 403
 */
async function requireOneInTree(db: Db, { namespace }: CallerInProject, row: Package): Promise<void> {
  const scope = scopeOf(row.name);
  const [root = ''] = namespace.full_path.split('/');
  if (scope === null || asciiLower(scope) !== asciiLower(root)) return;
  // Concurrent publications in other projects wait here.
  const [now] = await lockTrees(db, [namespace]);
  const other = await othersBelow(db, row, lineageIds(now!.lineage)[0]!)
    .where('packages.version_key', '=', row.version_key)
    .where('packages.id', '<>', row.id)
    .executeTakeFirst();
  if (other !== undefined) throw isThere();
}
