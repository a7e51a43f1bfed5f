import type { ObjectType } from '../../common/index.ts';
import type { FileFailure, LockTask, RemoveTask, ReplaceTask, TaskResult } from './tasks.ts';
import type { LocksTask } from './writer.locks.ts';

/** A task as sent to the thread. */
export type TaskMessage =
  | LockTask
  | ReplaceTask
  | LocksTask
  | RemoveTask
  | {
      name: 'objects';
      objects: string;
      list: { type: ObjectType; oid: string; length: number }[];
      /** Contents of all objects. */
      bytes: Uint8Array;
    };

/** The thread's answer to a task; number 0 announces that it is ready. */
export type FromWriter = { number: number } & ({ done: TaskResult } | { failure: FileFailure });
