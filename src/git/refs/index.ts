/** Branches, tags and other refs: read, and moved under locks. */

export { findRefConflict } from './ref-conflict.ts';
export { HEADS, TAGS } from './ref-folders.ts';
export { type Ref, RefStore, type RefUpdate } from './refs.ts';
export { isServerRef, SERVER_REFS } from './server-refs.ts';
