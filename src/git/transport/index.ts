/** git's protocol for clones and pushes. */

export { advertise } from './advertise.ts';
export { largePushedBlobs } from './large-blobs.ts';
export { type CommitObject, newCommitObjects } from './new-commit-objects.ts';
export { MAX_MESSAGE, type NewCommit, type NewCommitOrFile, type NewFile, newCommits } from './new-commits.ts';
export { PushedHistory } from './pushed-history.ts';
export {
  type HistoryRange,
  type PushedPointer,
  pathsOfPush,
  pointersBetween,
  pushedPointers,
} from './pushed-objects.ts';
export { receivePack } from './receive-pack.ts';
export type { Service } from './service.ts';
export { isServing, type TransportOptions, type TransportSession } from './session.ts';
export type { PushCommands, PushedRef, ReceivePush, UpdateResult } from './transport.push.ts';
export { uploadArchive } from './upload-archive.ts';
export { uploadPack } from './upload-pack.ts';
