import { Readable } from 'node:stream';
import { timestamp } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { PackageFile } from '../../../../db/tables/package-files.table.ts';
import type { Package } from '../../../../db/tables/packages.table.ts';
import type { Deps } from '../../../../deps.ts';
import { findFile } from '../../../../packages/package-registry.find.ts';
import { addFile } from '../../../../packages/package-registry.publish.ts';
import { enqueueRemovalOf } from '../../../../packages/package-registry.removal.ts';
import { type ReceivedFile, receiveFile } from '../../../../packages/receive.ts';
import { enqueueBlobRemoval } from '../../../../storage/unused-blobs.ts';
import { fileMetadata } from '../checksums.ts';
import { METADATA_FILE } from '../maven.paths.ts';
import { MAX_BYTES } from './maven-metadata.document.ts';
import { type RemainingVersions, updateMetadata } from './revise.ts';

/** Attempts when tools upload new metadata meanwhile. */
const TRIES = 5;

/** Removes deleted versions from the metadata of an artifact, and of the plugins of its group. Idempotent. */
export async function rewriteMetadata(deps: Deps, projectId: number, name: string): Promise<void> {
  await rewrite(deps, projectId, name, async () => {
    const versions = await versionsLeft(deps.db, projectId, name);
    return { hasVersion: (version) => versions.has(version), hasPlugin: () => true };
  });
  const [group, artifactId] = splitName(name);
  if (group === '' || (await versionsLeft(deps.db, projectId, name)).size > 0) return;
  await rewrite(deps, projectId, group, async () => {
    const { size } = await versionsLeft(deps.db, projectId, name);
    return { hasVersion: () => true, hasPlugin: (id) => id !== artifactId || size > 0 };
  });
}

function splitName(name: string): [group: string, artifactId: string] {
  const slash = name.lastIndexOf('/');
  return [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)];
}

async function versionsLeft(db: Db, projectId: number, name: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('packages')
    .select('version_key')
    .where('project_id', '=', projectId)
    .where('package_type', '=', 'maven')
    .where('name_key', '=', name)
    .where('version_key', '<>', '')
    .where('status', '<>', 'pending_destruction')
    .execute();
  return new Set(rows.map(({ version_key }) => version_key));
}

/**
 * @param look loads the remaining versions; called after the metadata is read, since tools publish a version before
 * they list it
 */
async function rewrite(
  deps: Deps,
  projectId: number,
  name: string,
  look: () => Promise<RemainingVersions>,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const file = await metadataOf(deps.db, projectId, name);
    const text = file === undefined ? undefined : await textOf(deps, file);
    const revised = text === undefined ? undefined : await updateMetadata(text, await look(), deps.clock.now());
    if (file === undefined || revised === undefined) return;
    const stored = revised === null ? null : await receiveFile(deps, 'maven', Readable.from([Buffer.from(revised)]));
    if (await enter(deps, projectId, name, file, stored)) return;
    if (stored !== null) await enqueueBlobRemoval(deps, deps.db, [stored.sha256]);
  }
  throw new Error(`the metadata of ${name} in project ${projectId} keeps being changed by other requests`);
}

const metadataOf = (db: Db, projectId: number, name: string): Promise<PackageFile | undefined> =>
  findFile(db, { projectId }, { type: 'maven', nameKey: name, versionKey: '', fileName: METADATA_FILE });

/** @returns undefined if it is too long, or was deleted */
async function textOf({ blobs }: Deps, { sha256, size }: PackageFile): Promise<string | undefined> {
  const stream = size > MAX_BYTES ? null : await blobs.get(sha256);
  if (stream === null) return undefined;
  const parts: Buffer[] = [];
  for await (const part of stream as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Adds the new file to the package of the metadata; without a new file the package is deleted.
 * @param before the file that the new text is based on
 * @returns false if there is a newer file
 */
function enter(
  deps: Deps,
  projectId: number,
  name: string,
  before: PackageFile,
  stored: ReceivedFile | null,
): Promise<boolean> {
  return deps.db.transaction().execute(async (db) => {
    const row = await lock(deps, db, before.package_id);
    const now = row === undefined ? undefined : await metadataOf(db, projectId, name);
    if (row === undefined || now?.id !== before.id) return false;
    if (stored === null) {
      await db.updateTable('packages').set({ status: 'pending_destruction' }).where('id', '=', row.id).execute();
      await enqueueRemovalOf(deps, db, projectId);
    } else {
      await addFile(deps, { db, row, pipelineId: null }, stored, METADATA_FILE, fileMetadata(stored));
    }
    return true;
  });
}

/** Returns the package, locked until the transaction ends. */
const lock = (deps: Deps, db: Db, id: number): Promise<Package | undefined> =>
  db
    .updateTable('packages')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', id)
    .where('status', '<>', 'pending_destruction')
    .returningAll()
    .executeTakeFirst();
