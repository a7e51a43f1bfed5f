import type { IncomingMessage } from 'node:http';
import { RetryLater } from '../../../core/retry-later.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import { EXPORT_STATUS } from '../../../db/tables/relation-exports.table.ts';
import type { Deps } from '../../../deps.ts';
import {
  coerceInteger,
  coerceObjects,
  type ImportedObject,
  InvalidImportObject,
  isImportedObject,
} from '../../../import-export/imports/coerce-import.ts';
import {
  gunzipLimited,
  InvalidImportFile,
  type Limits,
  parseObjects,
} from '../../../import-export/imports/import.lines.ts';
import { importUploads } from '../../../import-export/imports/import.uploads.ts';
import type { ImportContext } from '../../../import-export/imports/import-context.ts';
import type { RemoteServer } from '../../../import-export/imports/remote-server.ts';
import { progressOf, recordFailure, setTracker, trackerOf } from '../../../import-export/imports/trackers.ts';
import { writeObjects } from '../../../import-export/imports/write-objects.ts';
import { WRITERS } from '../../../import-export/imports/writers.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';

const MIB = 1024 * 1024;
const PAUSE_MS = 1_000;
/** Maximum number of batches of a relation; this server exports a thousand objects per batch. */
const MAX_BATCHES = 100_000;
/** Relation with the users that other relations refer to; it is read first. */
const PEOPLE = 'user_contributions';
const UPLOADS = 'uploads';
const EXPORT = 'export';

/** Context for importing the relations of an entity. */
export interface RelationImport {
  deps: Deps;
  entity: BulkImportEntity;
  server: RemoteServer;
  importContext: ImportContext;
  signal: AbortSignal;
}

const pathOf = ({ entity_type, source_full_path }: BulkImportEntity): string =>
  `/${entity_type}s/${encodeURIComponent(source_full_path)}/export_relations`;

async function limitsOf(deps: Deps): Promise<Limits> {
  const settings = await applicationSettings(deps);
  const unpackedMiB = settings.max_decompressed_archive_size;
  return {
    maxBytes: settings.bulk_import_max_download_file_size * MIB,
    maxUnpacked: unpackedMiB === 0 ? Number.MAX_SAFE_INTEGER : unpackedMiB * MIB,
  };
}

/** Requests the export of all relations from the source server, once. */
async function askForExport({ deps, entity, server }: RelationImport): Promise<void> {
  const { done } = await trackerOf(deps.db, entity.id, EXPORT);
  if (done === 1) return;
  await server.json('POST', `${pathOf(entity)}?batched=true`);
  await setTracker(deps.db, entity.id, EXPORT, { done: 1 });
}

/** Returns the export status of each relation. @throws RetryLater while exports are running */
async function exportedBy({ entity, server }: RelationImport): Promise<Map<string, ImportedObject>> {
  const statuses = coerceObjects(await server.json('GET', `${pathOf(entity)}/status`));
  const open = statuses.some(({ status }) => status !== EXPORT_STATUS.finished && status !== EXPORT_STATUS.failed);
  if (open || statuses.length === 0) throw new RetryLater(PAUSE_MS, 'the source server is not ready yet');
  return new Map(statuses.map((each) => [String(each.relation), each]));
}

/** Imports all relations of an entity. @throws errors of the source server; Stopped */
export async function importRelations(relationImport: RelationImport): Promise<void> {
  await askForExport(relationImport);
  const exported = await exportedBy(relationImport);
  // Texts refer to uploads, whose URLs may change.
  const relations = [PEOPLE, UPLOADS, ...Object.keys(WRITERS[relationImport.entity.entity_type])];
  for (const relation of relations) {
    const status = exported.get(relation);
    if (status !== undefined) await readRelation(relationImport, relation, status);
  }
}

async function readRelation(relationImport: RelationImport, relation: string, status: ImportedObject): Promise<void> {
  const { deps, entity } = relationImport;
  const tracker = await trackerOf(deps.db, entity.id, relation);
  if (tracker.done === 1) return;
  await setTracker(deps.db, entity.id, relation, { source: coerceInteger(status.total_objects_count) ?? 0 });
  let problem: { kind: string; message: string } | null = null;
  if (status.status === EXPORT_STATUS.failed) {
    problem = { kind: 'ExportFailed', message: 'The source server could not export the relation.' };
  } else {
    try {
      if (relation === UPLOADS) await readUploads(relationImport);
      else await readFiles(relationImport, relation, status, tracker);
    } catch (error) {
      if (!(error instanceof InvalidImportFile)) throw error;
      problem = { kind: 'UnfitFile', message: error.message };
    }
  }
  await deps.db.transaction().execute(async (db) => {
    if (problem !== null) await recordFailure(deps, db, entity.id, { relation, ...problem });
    await setTracker(db, entity.id, relation, { done: 1 });
  });
}

async function readUploads(relationImport: RelationImport): Promise<void> {
  const { deps, entity, importContext } = relationImport;
  // An earlier, interrupted run has reported the same files.
  await deps.db
    .deleteFrom('bulk_import_failures')
    .where('entity_id', '=', entity.id)
    .where('relation', '=', UPLOADS)
    .execute();
  const fail = (title: string, message: string) =>
    recordFailure(deps, deps.db, entity.id, { relation: UPLOADS, kind: 'Unfit', message, title });
  const archive = gunzipLimited(await download(relationImport, UPLOADS, ''), await limitsOf(deps));
  const { fetched, imported } = await importUploads(importContext, archive, fail);
  await setTracker(deps.db, entity.id, UPLOADS, { fetched, imported });
}

async function readFiles(
  relationImport: RelationImport,
  relation: string,
  status: ImportedObject,
  { batch, line }: { batch: number; line: number },
): Promise<void> {
  const { deps, entity } = relationImport;
  if (status.batched !== true) return readFile(relationImport, relation, '', line);
  const batches = coerceInteger(status.batches_count) ?? 0;
  if (batches > MAX_BATCHES)
    throw new InvalidImportFile(`The source server announces more than ${MAX_BATCHES} batches.`);
  for (let number = batch; number <= batches; number += 1) {
    await readFile(relationImport, relation, `&batched=true&batch_number=${number}`, number === batch ? line : 0);
    await setTracker(deps.db, entity.id, relation, { batch: number + 1, line: 0 });
  }
}

async function readFile(relationImport: RelationImport, relation: string, query: string, skip: number): Promise<void> {
  const { deps, entity, importContext, signal } = relationImport;
  const objects = parseObjects(gunzipLimited(await download(relationImport, relation, query), await limitsOf(deps)));
  const progress = progressOf(deps, entity, relation, skip, signal);
  if (relation === PEOPLE) return readPeople(relationImport, objects);
  await writeObjects(importContext, WRITERS[entity.entity_type][relation]!, objects, progress);
}

async function readPeople(
  { deps, entity, importContext }: RelationImport,
  objects: AsyncIterable<ImportedObject | InvalidImportObject>,
): Promise<void> {
  let count = 0;
  for await (const person of objects) {
    count += 1;
    if (!(person instanceof InvalidImportObject)) await importContext.users.add(person);
  }
  await setTracker(deps.db, entity.id, PEOPLE, { fetched: count, imported: count });
}

const download = ({ entity, server }: RelationImport, relation: string, query: string): Promise<IncomingMessage> =>
  server.open('GET', `${pathOf(entity)}/download?relation=${relation}${query}`);

/** Checks that a response is an object. @throws InvalidImportObject */
export function requireObject(value: ImportedObject | null, what: string): ImportedObject {
  if (value === null || !isImportedObject(value))
    throw new InvalidImportObject(`${what} does not exist, or the token has no access to it`);
  return value;
}
