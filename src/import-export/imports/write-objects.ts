import { faultOf } from '../../core/surroundings.ts';
import type { Db } from '../../db/schema.ts';
import type { Importing, Writer } from './importing.ts';
import { namedIn } from './people.ts';
import { type Given, Unfit } from './take.ts';
import { withOwnAddresses } from './upload-addresses.ts';

/** Bytes of objects that one transaction writes, about. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE = 255;

/** Keeps how far a relation has come, within the transaction that writes its objects. */
export interface Progress {
  /** Objects that are done already, and are passed over. */
  skip: number;
  /** @param done objects that count as done with this transaction; `written` of them became rows */
  move(db: Db, done: number, written: number): Promise<void>;
  fail(db: Db, failure: { kind: string; message: string; title: string | null }): Promise<void>;
  /** Ends the work where it has to. @throws */
  look(): Promise<void> | void;
}

const titleOf = (given: Given): string | null => {
  const found = [given.title, given.name, given.tag].find((each) => typeof each === 'string');
  return found === undefined ? null : found.replaceAll('\0', '').toWellFormed().slice(0, MAX_MESSAGE);
};

/** Whether an error is about the object and not about what surrounds it. */
const isOfObject = (error: unknown): boolean => faultOf(error) === null;

async function writeTogether(
  importing: Importing,
  writer: Writer,
  given: readonly Given[],
  progress: Progress,
): Promise<void> {
  const objects = await withOwnAddresses(importing, given);
  await importing.people.know(namedIn(objects));
  const { db } = importing.deps;
  const write = async (part: readonly Given[]) => {
    const move = (db: Db) => progress.move(db, part.length, part.length);
    if ('writeAlone' in writer) return writer.writeAlone(importing, part[0]!, move);
    await db.transaction().execute(async (db) => {
      await writer.write(importing, db, part);
      await move(db);
    });
  };
  try {
    await write(objects);
  } catch (error) {
    if (!isOfObject(error)) throw error;
    // One of them cannot be taken over: the others are.
    for (const object of objects) {
      await write([object]).catch(async (error: unknown) => {
        await progress.look();
        if (!isOfObject(error)) throw error;
        return passOver(importing, error, titleOf(object), progress);
      });
    }
  }
}

async function passOver({ deps }: Importing, error: unknown, title: string | null, progress: Progress): Promise<void> {
  const unfit = error instanceof Unfit;
  if (!unfit) deps.log.log('warn', 'an object could not be imported', { error: String(error) });
  await deps.db.transaction().execute(async (db) => {
    const message = unfit ? error.message.slice(0, MAX_MESSAGE) : 'The object could not be written.';
    await progress.fail(db, { kind: unfit ? 'Unfit' : 'DatabaseError', message, title });
    await progress.move(db, 1, 0);
  });
}

/**
 * Writes the objects of a file: a few in each transaction, which also keeps how far that is. What cannot be taken over is
 * told and passed over.
 * @returns how many objects the file has
 */
export async function writeObjects(
  importing: Importing,
  writer: Writer,
  objects: AsyncIterable<Given | Unfit>,
  progress: Progress,
): Promise<number> {
  const atOnce = 'writeAlone' in writer ? 1 : writer.atOnce;
  let [count, bytes, part]: [number, number, Given[]] = [0, 0, []];
  const flush = async () => {
    const together = part;
    [bytes, part] = [0, []];
    if (together.length > 0) await writeTogether(importing, writer, together, progress);
    await progress.look();
  };
  for await (const object of objects) {
    count += 1;
    if (count <= progress.skip) continue;
    if (object instanceof Unfit) {
      await flush();
      await passOver(importing, object, null, progress);
      continue;
    }
    part.push(object);
    bytes += sizeOf(object);
    if (part.length >= atOnce || bytes >= MAX_BYTES) await flush();
  }
  await flush();
  return count;
}

/** About so many bytes of texts, which is what makes objects large. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0);
}
