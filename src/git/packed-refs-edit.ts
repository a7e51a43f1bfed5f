import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeBytes } from './bytes.ts';
import { isMissing, syncPath } from './durable.ts';

const FEED = 0x0a;
const SPACE = 0x20;
const HASH = 0x23;
const CARET = 0x5e;
const LINES_AT_ONCE = 2_000;

/**
 * Takes references out of a repository's `packed-refs`; durable when it fulfils. Hold its lock.
 * @param names full ones; those that are not there are passed over
 * @throws the file system's error
 */
export async function removePacked(dir: string, names: readonly string[]): Promise<void> {
  const path = join(dir, 'packed-refs');
  const content = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  const kept = content && (await without(content, names));
  if (kept === null || kept.length === content!.length) return;
  // The name of a lock, so that what a crash leaves is cleared away as one.
  const temporary = `${path}.${randomUUID()}.lock`;
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(kept);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPath(dir);
}

/** The file without the lines of some references, and without what their tags lead to. */
async function without(content: Buffer, names: readonly string[]): Promise<Buffer> {
  const leaving = new Set(names.map((name) => encodeBytes(name).toString('latin1')));
  const kept: Buffer[] = [];
  let from = 0;
  let lines = 0;
  for (let at = 0; at < content.length; ) {
    lines += 1;
    if (lines % LINES_AT_ONCE === 0) await nextTurn();
    let end = endOf(content, at);
    const space = content.indexOf(SPACE, at);
    if (content[at] !== HASH && space > at && leaving.has(content.toString('latin1', space + 1, end - 1))) {
      while (content[end] === CARET) end = endOf(content, end);
      kept.push(content.subarray(from, at));
      from = end;
    }
    at = end;
  }
  return Buffer.concat([...kept, content.subarray(from)]);
}

/** Where the line after the one that begins at `at` begins. */
const endOf = (content: Buffer, at: number): number => content.indexOf(FEED, at) + 1 || content.length + 1;
