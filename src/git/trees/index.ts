/** Folders and files of a commit: entries, sizes, archives, languages, pointers of LFS. */

export { type ContentDigest, contentDigest } from './content-digest.ts';
export {
  ARCHIVE_FORMATS,
  type ArchiveFormat,
  archive,
  archiveMemory,
  hasBzip2,
  MAX_ENTRIES,
  packingOf,
} from './git.archive.ts';
export { entryAt, firstParentOf, listTree, type PathEntry, pathEntryOf, treeOf } from './git.tree.ts';
export { type LanguageShare, languagesOf } from './languages/git.languages.ts';
export { isGeneratedPath } from './languages/language-paths.ts';
export { type LfsPointer, MAX_POINTER_BYTES, parsePointer } from './lfs.ts';
export { type Change, changesBetween, pathsBetween } from './tree-changes.ts';
export { type EntryList, listAll, listFolder } from './tree-listing.ts';
export { type CountedPointer, type ExceededLimit, treeSize } from './tree-size.ts';
