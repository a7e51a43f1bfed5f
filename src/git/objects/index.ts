/** Objects: parsed, encoded, read from packs and loose files, written. */

export { isRepository } from './damage.ts';
export {
  type Commit,
  hashObject,
  type Identity,
  parseCommit,
  type Tag,
  type TreeEntry,
  typeOfMode,
} from './git.objects.ts';
export { ObjectCache } from './object-cache.ts';
export {
  encodeCommit,
  encodeEntry,
  encodeTag,
  encodeTree,
  type NewCommit,
  type NewIdentity,
  type NewTag,
} from './object-encode.ts';
export { copyObjectFiles } from './object-files.ts';
export { ObjectFolder } from './object-folder.ts';
export { objectFormatOf } from './object-format.ts';
export { ObjectReader } from './object-reader.ts';
export { type NewObject, nameObject, ObjectWriter } from './object-writer.ts';
export { BlockFile } from './packs/block-file.ts';
export { BlockFiles } from './packs/block-files.ts';
export { MAX_INLINE_BYTES_OF_READERS } from './packs/inflate.ts';
export { ObjectStore } from './packs/object-store.ts';
export { createPackResources } from './packs/pack-resources.ts';
export { type PackResources, type RawObject, TooLargeToRead } from './packs/raw-object.ts';
export { asInTree, findEntry } from './tree-entries.ts';
export { TreeObject } from './tree-object.ts';
