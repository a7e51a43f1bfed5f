import { hash } from 'node:crypto';

/**
 * A path index lies beside one layer of a commit-graph and says which of its commits changed which paths, files and the
 * folders above them, against their first parents, and to what. It is derived: where it is missing or damaged, filters
 * and trees are asked. The file, numbers with the highest byte first:
 *
 * - parts, each with the changes, path by path, and a hash table over the paths;
 * - for each part a row: where its changes begin, where its table begins, the table's slots, its check sum;
 * - the end: `MAGIC`, the number of parts, the layer's commits and check sum, the check sum of rows and end.
 */
export const MAGIC: Buffer = Buffer.from('pathidx2', 'latin1');
export const PART_BYTES = 16;
/**
 * Goes before a path into its key. It is drawn for the lowest layer, so that nobody can look for two paths of one key beforehand; those on
 * top take it over, so that a path has one key in all of them.
 */
export const SALT_BYTES = 16;
/** Of the end: magic, parts, commits, the layer's check sum with room for SHA-256, the salt, the check sum. */
export const SALT_AT = 8 + 4 + 4 + 32;
export const END_BYTES: number = SALT_AT + SALT_BYTES + 4;

/** A slot of a table: the path's key, where its changes begin (counted from the part's first), how many, their check sum. */
export const KEY_BYTES = 12;
export const SLOT_BYTES: number = KEY_BYTES + 12;

/** A change: the commit's place in the layer and what kind of thing is there then, 28 and 4 bits; its id. @param hashBytes of ids */
export const changeBytes = (hashBytes: number): number => 4 + hashBytes;
export const KIND_BITS = 4;
export const MAX_PLACES: number = 2 ** (32 - KIND_BITS);

/** Modes by kind; the first is that of nothing. */
export const KINDS: readonly string[] = ['', '40000', '100644', '100755', '120000', '160000'];
export const NOTHING = 0;

/** Changes of one layer, and bytes of its tables; where there would be more, it has no index. */
export const MAX_CHANGES = 8_000_000;
export const MAX_TABLE_BYTES: number = 16 * 1024 * 1024;
/** Number of parts that says so. */
export const TOO_MANY = 0xffffffff;

/** What stands for a path in one index. @param path its bytes, without a slash at the end */
export function pathKey(salt: Buffer, path: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([salt, path]), 'buffer').subarray(0, KEY_BYTES);
}
