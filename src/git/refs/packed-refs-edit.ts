import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { syncHandle } from '../../core/unsynced-folders.ts';
import { encodeBytes } from '../common/index.ts';
import { isMissing, syncPath } from '../files/index.ts';
import { sortedEntries } from './packed-refs.ts';
import { HEADS } from './ref-folders.ts';

const FEED = 0x0a;
const SPACE = 0x20;
const HASH = 0x23;
const CARET = 0x5e;
const LINES_AT_ONCE = 2_000;

/**
 * Removes references from `packed-refs`; durable when it fulfils. Requires its lock.
 * @param names full names; missing ones are ignored
 * @throws the file system's error
 */
export async function removePacked(dir: string, names: readonly string[]): Promise<void> {
  const content = await readPacked(dir);
  const entries = await without(content, names);
  if (entries.length !== content.length) await replacePacked(dir, entries);
}

/**
 * Adds or replaces references in `packed-refs`; durable when it fulfils. Requires its lock and those of the references,
 * whose loose files take precedence.
 * @param refs full names with their targets; branches point to commits
 * @throws the file system's error
 */
export async function addPacked(dir: string, refs: ReadonlyMap<string, string>): Promise<void> {
  const content = await readPacked(dir);
  const header = content[0] === HASH ? content.toString('latin1', 0, endOf(content, 0)).trimEnd() : '';
  const entries = await without(sortedEntries(content), [...refs.keys()]);
  // Latin-1 strings have one character for each byte, so their order is the byte order.
  const added = [...refs]
    .map(([name, oid]) => ({ name: encodeBytes(name).toString('latin1'), oid }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const traits = [...traitsWith(header, content.length === 0, refs), 'sorted'];
  const parts: Buffer[] = [Buffer.from(`${TRAITS} ${traits.join(' ')} \n`)];
  let next = 0;
  let from = 0;
  let lines = 0;
  for (let at = 0; at < entries.length && next < added.length; ) {
    lines += 1;
    if (lines % LINES_AT_ONCE === 0) await nextTurn();
    let end = endOf(entries, at);
    const name = entries.toString('latin1', entries.indexOf(SPACE, at) + 1, end - 1);
    while (entries[end] === CARET) end = endOf(entries, end);
    const first = next;
    while (next < added.length && added[next]!.name < name) next += 1;
    if (next > first) {
      parts.push(entries.subarray(from, at), linesOf(added.slice(first, next)));
      from = at;
    }
    at = end;
  }
  const rest = entries.subarray(from);
  parts.push(rest, Buffer.from(rest.length > 0 && rest.at(-1) !== FEED ? '\n' : ''), linesOf(added.slice(next)));
  await replacePacked(dir, Buffer.concat(parts));
}

const linesOf = (refs: readonly { name: string; oid: string }[]): Buffer =>
  Buffer.from(refs.map(({ name, oid }) => `${oid} ${name}\n`).join(''), 'latin1');

const TRAITS = '# pack-refs with:';

/** Traits that the header may still declare about peeled tags: without them git peels tags itself. */
function traitsWith(header: string, isNew: boolean, refs: ReadonlyMap<string, string>): string[] {
  for (const name of refs.keys()) if (!name.startsWith(HEADS)) return [];
  if (isNew) return ['peeled', 'fully-peeled'];
  return header
    .slice(TRAITS.length)
    .split(' ')
    .filter((trait) => trait === 'peeled' || trait === 'fully-peeled');
}

const readPacked = (dir: string): Promise<Buffer> =>
  readFile(join(dir, 'packed-refs')).catch((error: unknown) => {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  });

async function replacePacked(dir: string, content: Buffer): Promise<void> {
  const path = join(dir, 'packed-refs');
  // Named like a lock, so that leftovers of a crash are removed as one.
  const temporary = `${path}.${randomUUID()}.lock`;
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(content);
      await syncHandle(handle, temporary);
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

/** The file without the lines of some references and their peeled lines. */
async function without(content: Buffer, names: readonly string[]): Promise<Buffer> {
  const leaving = new Set(names.map((name) => encodeBytes(name).toString('latin1')));
  const parts: Buffer[] = [];
  let from = 0;
  let lines = 0;
  for (let at = 0; at < content.length; ) {
    lines += 1;
    if (lines % LINES_AT_ONCE === 0) await nextTurn();
    let end = endOf(content, at);
    const space = content.indexOf(SPACE, at);
    if (content[at] !== HASH && space > at && leaving.has(content.toString('latin1', space + 1, end - 1))) {
      while (content[end] === CARET) end = endOf(content, end);
      parts.push(content.subarray(from, at));
      from = end;
    }
    at = end;
  }
  return Buffer.concat([...parts, content.subarray(from)]);
}

/** Start of the line after the one that starts at `at`. */
const endOf = (content: Buffer, at: number): number => content.indexOf(FEED, at) + 1 || content.length + 1;
