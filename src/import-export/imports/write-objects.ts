import { environmentFaultOf } from '../../core/environment-fault.ts';
import type { Db } from '../../db/db.schema.ts';
import { type ImportedObject, InvalidImportObject } from './coerce-import.ts';
import type { ImportContext, RelationWriter } from './import-context.ts';
import { userIdsIn } from './imported-users.ts';
import { withOwnAddresses } from './upload-addresses.ts';

/** Approximate maximum size of the objects per transaction, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE = 255;

/** Progress of a relation, stored within the transaction that writes its objects. */
export interface Progress {
  /** Number of objects that are already done, to skip. */
  skip: number;
  /** @param done number of objects done by this transaction @param written number of them that became rows */
  advance(db: Db, done: number, written: number): Promise<void>;
  fail(db: Db, failure: { kind: string; message: string; title: string | null }): Promise<void>;
  /** Throws if the import must stop. */
  check(): Promise<void> | void;
}

const titleOf = (object: ImportedObject): string | null => {
  const title = [object.title, object.name, object.tag].find((each) => typeof each === 'string');
  return title === undefined ? null : title.replaceAll('\0', '').toWellFormed().slice(0, MAX_MESSAGE);
};

/** Whether an error is caused by the object, not by the environment. */
const isOfObject = (error: unknown): boolean => environmentFaultOf(error) === null;

async function writeTogether(
  context: ImportContext,
  writer: RelationWriter,
  imported: readonly ImportedObject[],
  progress: Progress,
): Promise<void> {
  const objects = await withOwnAddresses(context, imported);
  await context.users.ensure(userIdsIn(objects));
  const { db } = context.deps;
  const write = async (part: readonly ImportedObject[]) => {
    const move = (db: Db) => progress.advance(db, part.length, part.length);
    if ('writeAlone' in writer) return writer.writeAlone(context, part[0]!, move);
    await db.transaction().execute(async (db) => {
      await writer.write(context, db, part);
      await move(db);
    });
  };
  try {
    await write(objects);
  } catch (error) {
    if (!isOfObject(error)) throw error;
    // One of them cannot be imported: retry one by one.
    for (const object of objects) {
      await write([object]).catch(async (error: unknown) => {
        await progress.check();
        if (!isOfObject(error)) throw error;
        return passOver(context, error, titleOf(object), progress);
      });
    }
  }
}

async function passOver(
  { deps }: ImportContext,
  error: unknown,
  title: string | null,
  progress: Progress,
): Promise<void> {
  const unfit = error instanceof InvalidImportObject;
  if (!unfit) deps.log.log('warn', 'import of an object failed', { error: String(error) });
  await deps.db.transaction().execute(async (db) => {
    const message = unfit ? error.message.slice(0, MAX_MESSAGE) : 'The object could not be written.';
    await progress.fail(db, { kind: unfit ? 'Unfit' : 'DatabaseError', message, title });
    await progress.advance(db, 1, 0);
  });
}

/**
 * Writes the objects of a file in batches; each transaction also stores the progress. Records and skips objects that
 * cannot be imported.
 * @returns number of objects in the file
 */
export async function writeObjects(
  context: ImportContext,
  writer: RelationWriter,
  objects: AsyncIterable<ImportedObject | InvalidImportObject>,
  progress: Progress,
): Promise<number> {
  const batchSize = 'writeAlone' in writer ? 1 : writer.batchSize;
  let [count, bytes, part]: [number, number, ImportedObject[]] = [0, 0, []];
  const flush = async () => {
    const together = part;
    [bytes, part] = [0, []];
    if (together.length > 0) await writeTogether(context, writer, together, progress);
    await progress.check();
  };
  for await (const object of objects) {
    count += 1;
    if (count <= progress.skip) continue;
    if (object instanceof InvalidImportObject) {
      await flush();
      await passOver(context, object, null, progress);
      continue;
    }
    part.push(object);
    bytes += sizeOf(object);
    if (part.length >= batchSize || bytes >= MAX_BYTES) await flush();
  }
  await flush();
  return count;
}

/** Approximate size of an object: the length of its texts. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0);
}
