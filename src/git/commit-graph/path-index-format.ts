import { hash } from 'node:crypto';

/**
 * A path index is a sidecar file of one commit-graph layer. It records which of its commits changed which paths, files
 * and their parent folders, against their first parents, and to what. It is derived: if it is missing or damaged,
 * filters and trees are read instead. File format, with big-endian numbers:
 *
 * - parts, each with the changes, grouped by path, and a hash table of the paths;
 * - for each part a row: start of its changes, start of its table, number of slots, checksum;
 * - the trailer: `MAGIC`, number of parts, number of commits and checksum of the layer, checksum of rows and trailer.
 */
export const MAGIC: Buffer = Buffer.from('pathidx2', 'latin1');
export const PART_BYTES = 16;
/**
 * Prefix of a path in its key. It is random for the lowest layer, so that collisions cannot be prepared. Upper layers
 * reuse it, so a path has the same key in all layers.
 */
export const SALT_BYTES = 16;
/** Offset in the trailer: after magic, parts, commits and the layer's checksum (with room for SHA-256). */
export const SALT_AT = 8 + 4 + 4 + 32;
export const END_BYTES: number = SALT_AT + SALT_BYTES + 4;

/** A table slot: key of the path, start of its changes (relative to the part's first), their number and checksum. */
export const KEY_BYTES = 12;
export const SLOT_BYTES: number = KEY_BYTES + 12;

/**
 * A change: index of the commit in the layer (28 bits), kind of the new entry (4 bits), and its id.
 * @param hashBytes length of ids
 */
export const changeBytes = (hashBytes: number): number => 4 + hashBytes;
export const KIND_BITS = 4;
export const MAX_POSITIONS: number = 2 ** (32 - KIND_BITS);

/** Modes by kind. The first means absent. */
export const KINDS: readonly string[] = ['', '40000', '100644', '100755', '120000', '160000'];
export const NOTHING = 0;

/** Maximum number of changes of one layer, and maximum size of its tables in bytes. Larger layers have no index. */
export const MAX_CHANGES = 8_000_000;
export const MAX_TABLE_BYTES: number = 16 * 1024 * 1024;
/** Number of parts that marks such a layer. */
export const TOO_MANY = 0xffffffff;

/** Key of a path in an index. @param path as bytes, without a trailing slash */
export function pathKey(salt: Buffer, path: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([salt, path]), 'buffer').subarray(0, KEY_BYTES);
}
