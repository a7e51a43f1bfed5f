/** Files on disk: durable writes, locks, stamps, and the thread that writes. */

export { copyDurably, copyMissing, namesIn } from './copy-files.ts';
export { isMissing, isTaken, syncIfThere, syncPath, writeSynced } from './durable.ts';
export { type FileStamp, isUnchanged, stampOf } from './file-stamp.ts';
export { isFolder, LockFile, removeEmptyFolders } from './lock-file.ts';
export { type NamedObject, syncFolders, writeFiles } from './loose-files.ts';
export { type LooseFile, readFile, readLooseRef, statOf } from './loose-ref-file.ts';
export { isLeftover, removeLocks, removeStaleLocks } from './stale-locks.ts';
export { contentBytes, contentOfFile, type FileContent, sizeOf } from './stored-content.ts';
export { MAX_STORED_BYTES, storedStart } from './stored-stream.ts';
export { removeFiles, storeObjects, takeLocks } from './writer/writing-thread.ts';
