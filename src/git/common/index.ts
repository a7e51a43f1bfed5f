/** What all of them need: errors, names and ids, bytes and texts, queues and caches of results. */

export { commonEnd, commonStart } from './common-bytes.ts';
export { bufferOver, bytesPath, compareBytes, decodeBytes, decodeText, encodeBytes, utf8Length } from './git.bytes.ts';
export { GitError, type GitErrorCode, isUnreadable } from './git.errors.ts';
export { KeyedQueue } from './git.queue.ts';
export { checkOids, emptyTreeLike, isOid, type ObjectFormat, type ObjectType } from './object-id.ts';
export { type CopyContent, withPooledMemory } from './pooled-memory.ts';
export { isValidBranchName, isValidRefName } from './ref-name.ts';
export { cacheKey, ResultCache } from './result-cache.ts';
export { TextDecoding } from './text-encoding.ts';
