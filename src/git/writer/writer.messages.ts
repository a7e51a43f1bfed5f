import type { ObjectType } from '../git.objects.ts';
import type { FileFailure, LockTask, RemoveTask, ReplaceTask, TaskResult } from './tasks.ts';
import type { LocksTask } from './writer.locks.ts';

/** A task as it is handed to the thread. */
export type AskedTask =
  | LockTask
  | ReplaceTask
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
export type FromWriter = { number: number } & ({ done: TaskResult } | { failure: FileFailure });
