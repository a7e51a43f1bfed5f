import type { Readable } from 'node:stream';
import type { BulkImportEntity } from '../../db/tables/bulk-import-entities.table.ts';
import type { Deps } from '../../deps.ts';
import { InvalidImportObject } from '../../import-export/imports/coerce-import.ts';
import { parseObjects } from '../../import-export/imports/import.lines.ts';
import type { ImportContext } from '../../import-export/imports/import-context.ts';
import { progressOf, requireStarted, setTracker, trackerOf } from '../../import-export/imports/trackers.ts';
import { writeObjects } from '../../import-export/imports/write-objects.ts';
import { WRITERS } from '../../import-export/imports/writers.ts';

const PEOPLE = 'user_contributions';

/** Files of an archive with the relations of a group or project. */
export interface FileRelations {
  deps: Deps;
  entity: BulkImportEntity;
  importContext: ImportContext;
  signal: AbortSignal;
  /** Opens the lines of a relation; null if the archive has none. */
  open(relation: string): Promise<Readable | null>;
}

/** Imports the objects of all relations, each once even if repeated. @throws Stopped */
export async function writeRelations({ deps, entity, importContext, signal, open }: FileRelations): Promise<void> {
  await requireStarted(deps, deps.db, entity);
  const people = await open(PEOPLE);
  if (people !== null) {
    for await (const person of parseObjects(people as AsyncIterable<Buffer>)) {
      signal.throwIfAborted();
      if (!(person instanceof InvalidImportObject)) await importContext.users.add(person);
    }
  }
  for (const [relation, writer] of Object.entries(WRITERS[importContext.place.kind])) {
    const tracker = await trackerOf(deps.db, entity.id, relation);
    const content = tracker.done === 1 ? null : await open(relation);
    if (content === null) continue;
    const progress = progressOf(deps, entity, relation, tracker.line, signal);
    const source = await writeObjects(importContext, writer, parseObjects(content as AsyncIterable<Buffer>), progress);
    await setTracker(deps.db, entity.id, relation, { source, done: 1 });
  }
}
