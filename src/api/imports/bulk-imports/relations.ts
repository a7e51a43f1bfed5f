import type { IncomingMessage } from 'node:http';
import { ComesAgain } from '../../../core/comes-again.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import { EXPORT_STATUS } from '../../../db/tables/relation-exports.ts';
import type { Deps } from '../../../deps.ts';
import type { Importing } from '../../../import-export/imports/importing.ts';
import { type Limits, objectsIn, UnfitFile, unpacked } from '../../../import-export/imports/lines.ts';
import type { RemoteServer } from '../../../import-export/imports/remote-server.ts';
import { type Given, integer, isGiven, objects, Unfit } from '../../../import-export/imports/take.ts';
import { progressOf, recordFailure, setTracker, trackerOf } from '../../../import-export/imports/trackers.ts';
import { takeUploads } from '../../../import-export/imports/uploads.ts';
import { writeObjects } from '../../../import-export/imports/write-objects.ts';
import { WRITERS } from '../../../import-export/imports/writers.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';

const MIB = 1024 * 1024;
const PAUSE_MS = 1_000;
/** Batches of one relation: each has a thousand objects where this server makes them. */
const MAX_BATCHES = 100_000;
/** What tells of the people whom all the rest names, so that it is read first. */
const PEOPLE = 'user_contributions';
const UPLOADS = 'uploads';
const EXPORT = 'export';

/** What the relations of an entity are read with. */
export interface Reading {
  deps: Deps;
  entity: BulkImportEntity;
  server: RemoteServer;
  importing: Importing;
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

/** Has the other server export all that it has, once. */
async function askForExport({ deps, entity, server }: Reading): Promise<void> {
  const { done } = await trackerOf(deps.db, entity.id, EXPORT);
  if (done === 1) return;
  await server.json('POST', `${pathOf(entity)}?batched=true`);
  await setTracker(deps.db, entity.id, EXPORT, { done: 1 });
}

/** How far the export of each relation is. @throws ComesAgain while some are under way */
async function exportedBy({ entity, server }: Reading): Promise<Map<string, Given>> {
  const found = objects(await server.json('GET', `${pathOf(entity)}/status`));
  const open = found.some(({ status }) => status !== EXPORT_STATUS.finished && status !== EXPORT_STATUS.failed);
  if (open || found.length === 0) throw new ComesAgain(PAUSE_MS, 'the other server is not ready yet');
  return new Map(found.map((each) => [String(each.relation), each]));
}

/** Reads everything that the other server has of an entity. @throws as the server does; Stopped */
export async function readRelations(reading: Reading): Promise<void> {
  await askForExport(reading);
  const exported = await exportedBy(reading);
  // Texts point to files, which may get other addresses here.
  const wanted = [PEOPLE, UPLOADS, ...Object.keys(WRITERS[reading.entity.entity_type])];
  for (const relation of wanted) {
    const status = exported.get(relation);
    if (status !== undefined) await readRelation(reading, relation, status);
  }
}

async function readRelation(reading: Reading, relation: string, status: Given): Promise<void> {
  const { deps, entity } = reading;
  const tracker = await trackerOf(deps.db, entity.id, relation);
  if (tracker.done === 1) return;
  await setTracker(deps.db, entity.id, relation, { source: integer(status.total_objects_count) ?? 0 });
  let problem: { kind: string; message: string } | null = null;
  if (status.status === EXPORT_STATUS.failed) {
    problem = { kind: 'ExportFailed', message: 'The other server could not export it.' };
  } else {
    try {
      if (relation === UPLOADS) await readUploads(reading);
      else await readFiles(reading, relation, status, tracker);
    } catch (error) {
      if (!(error instanceof UnfitFile)) throw error;
      problem = { kind: 'UnfitFile', message: error.message };
    }
  }
  await deps.db.transaction().execute(async (db) => {
    if (problem !== null) await recordFailure(deps, db, entity.id, { relation, ...problem });
    await setTracker(db, entity.id, relation, { done: 1 });
  });
}

async function readUploads(reading: Reading): Promise<void> {
  const { deps, entity, importing } = reading;
  // An earlier run that was cut off has told of the same files.
  await deps.db
    .deleteFrom('bulk_import_failures')
    .where('entity_id', '=', entity.id)
    .where('relation', '=', UPLOADS)
    .execute();
  const fail = (title: string, message: string) =>
    recordFailure(deps, deps.db, entity.id, { relation: UPLOADS, kind: 'Unfit', message, title });
  const archive = unpacked(await download(reading, UPLOADS, ''), await limitsOf(deps));
  const { found, taken } = await takeUploads(importing, archive, fail);
  await setTracker(deps.db, entity.id, UPLOADS, { fetched: found, imported: taken });
}

async function readFiles(
  reading: Reading,
  relation: string,
  status: Given,
  { batch, line }: { batch: number; line: number },
): Promise<void> {
  const { deps, entity } = reading;
  if (status.batched !== true) return readFile(reading, relation, '', line);
  const batches = integer(status.batches_count) ?? 0;
  if (batches > MAX_BATCHES) throw new UnfitFile(`The other server tells of more than ${MAX_BATCHES} batches.`);
  for (let number = batch; number <= batches; number += 1) {
    await readFile(reading, relation, `&batched=true&batch_number=${number}`, number === batch ? line : 0);
    await setTracker(deps.db, entity.id, relation, { batch: number + 1, line: 0 });
  }
}

async function readFile(reading: Reading, relation: string, query: string, skip: number): Promise<void> {
  const { deps, entity, importing, signal } = reading;
  const found = objectsIn(unpacked(await download(reading, relation, query), await limitsOf(deps)));
  const progress = progressOf(deps, entity, relation, skip, signal);
  if (relation === PEOPLE) return readPeople(reading, found);
  await writeObjects(importing, WRITERS[entity.entity_type][relation]!, found, progress);
}

async function readPeople({ deps, entity, importing }: Reading, found: AsyncIterable<Given | Unfit>): Promise<void> {
  let count = 0;
  for await (const person of found) {
    count += 1;
    if (!(person instanceof Unfit)) await importing.people.introduce(person);
  }
  await setTracker(deps.db, entity.id, PEOPLE, { fetched: count, imported: count });
}

const download = ({ entity, server }: Reading, relation: string, query: string): Promise<IncomingMessage> =>
  server.open('GET', `${pathOf(entity)}/download?relation=${relation}${query}`);

/** Whether an answer is what is asked for: an object. @throws Unfit */
export function requireObject(value: Given | null, what: string): Given {
  if (value === null || !isGiven(value)) throw new Unfit(`${what} is not there, or the token does not show it`);
  return value;
}
