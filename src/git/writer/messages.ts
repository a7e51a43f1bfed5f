import type { ObjectType } from '../objects.ts';
import type { LocksTask } from './locks.ts';
import type { Done, FileFailure, LockTask, PutTask, RemoveTask } from './tasks.ts';

/** A task as it is handed to the thread. */
export type AskedTask =
  | LockTask
  | PutTask
  | LocksTask
  | RemoveTask
  | {
      name: 'objects';
      objects: string;
      list: { type: ObjectType; oid: string; length: number }[];
      /** The contents of all. */
      bytes: Uint8Array;
    };

/** What the thread says of a task; number 0 is none and says that it takes tasks. */
export type FromWriter = { number: number } & ({ done: Done } | { failure: FileFailure });
