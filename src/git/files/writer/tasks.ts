import { closeSync, constants, lstatSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { bytesPath } from '../../common/index.ts';
import { isMissing, syncFile, syncPath } from '../durable.ts';
import { type NamedObject, syncFolders, writeFiles } from '../loose-files.ts';
import { statOf } from '../loose-ref-file.ts';
import { type LocksTask, type TakenLock, takeLocks } from './writer.locks.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Relevant properties of a file system error, which are lost when an error is sent to another thread. */
export interface FileFailure {
  message: string;
  code: string | undefined;
  errno: number | undefined;
  syscall: string | undefined;
  path: string | undefined;
}

/** A few small objects of one repository that are written together. */
export interface ObjectsTask {
  name: 'objects';
  objects: string;
  batch: readonly NamedObject[];
}

/** A lock file to create with the new content of the locked file. */
export interface LockTask {
  name: 'lock';
  path: string | Uint8Array;
  content: string;
}

/** A file to rename over another one. */
export interface ReplaceTask {
  name: 'put';
  from: string | Uint8Array;
  to: string | Uint8Array;
  /** Folder whose names must be durable afterwards; null if the caller takes care of it. */
  folder: string | Uint8Array | null;
}

/** Files of a repository to remove together; missing ones are ignored. */
export interface RemoveTask {
  name: 'remove';
  dir: string;
  names: readonly string[];
  /** Inode of each file, if another file may have its name by the time the task is repeated. */
  files: readonly number[] | null;
}

/** A write of repository files that is durable when completed. */
export type Task = ObjectsTask | LockTask | ReplaceTask | LocksTask | RemoveTask;

/** Result of a task. */
export interface TaskResult {
  /** Names of the objects that did not exist. */
  fresh?: string[];
  /** Reason why a renamed file may not be durable. */
  unsafe?: FileFailure;
  /** Locks taken so far, up to the first reference with an unusual state. */
  taken?: TakenLock[];
  /** Folders created for the locks, relative to the repository. */
  made?: string[];
}

/**
 * Runs a task in this thread.
 * @throws the file system's error; a failed task has changed nothing but may leave unreferenced objects
 */
export function runTask(task: Task): Promise<TaskResult> {
  if (task.name === 'objects') return storeHere(task);
  if (task.name === 'locks') return Promise.resolve(takeLocks(task));
  if (task.name === 'remove') return removeFiles(task);
  return task.name === 'lock' ? makeLock(task) : putInPlace(task);
}

/** Inode of the file that a task renames, which identifies it in any place; null for other tasks. */
export function fileOf(task: Task): number | null {
  if (task.name !== 'put') return null;
  return lstatSync(task.from as string, { throwIfNoEntry: false })?.ino ?? null;
}

/**
 * Repeats a task that another thread may have completed in part. If the file has already been renamed into place, its
 * old name is left alone: it may be another writer's lock by then.
 * @param file result of `fileOf` before the other thread started
 * @throws as `runTask`
 */
export async function retryTask(task: Task, file: number | null): Promise<TaskResult> {
  if (task.name === 'remove') return await removeFiles(task, true);
  if (task.name !== 'put' || file === null || fileOf(task) === file) return await runTask(task);
  return await withNames(task.folder);
}

async function storeHere({ objects, batch }: ObjectsTask): Promise<TaskResult> {
  const folders = new Set<string>();
  const fresh = await writeFiles(objects, batch, folders);
  await syncFolders(objects, [...folders]);
  return { fresh };
}

async function makeLock({ path, content }: LockTask): Promise<TaskResult> {
  const file = openSync(path as string, O_CREAT | O_EXCL | O_WRONLY, 0o644);
  try {
    try {
      writeFileSync(file, content);
      await syncFile(file, path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    await unlink(path as string).catch(() => {});
    throw error;
  }
  return {};
}

async function removeFiles({ dir, names, files }: RemoveTask, again = false): Promise<TaskResult> {
  let failure: unknown;
  for (const [index, name] of names.entries()) {
    const path = bytesPath(dir, name);
    try {
      if (again && files !== null && lstatSync(path, { throwIfNoEntry: false })?.ino !== files[index]) continue;
      unlinkSync(path);
    } catch (error) {
      // A folder may have the name of a packed reference.
      if (!isMissing(error) && statOf(path)?.isDirectory() !== true) failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return {};
}

async function putInPlace({ from, to, folder }: ReplaceTask): Promise<TaskResult> {
  renameSync(from as string, to as string);
  return await withNames(folder);
}

/** Makes the names in a folder durable. */
async function withNames(folder: ReplaceTask['folder']): Promise<TaskResult> {
  if (folder === null) return {};
  try {
    await syncPath(folder as string);
    return {};
  } catch (error) {
    return { unsafe: failureOf(error) };
  }
}

/** The properties of an error that can be sent to another thread. */
export function failureOf(error: unknown): FileFailure {
  const { message, code, errno, syscall, path } = error as NodeJS.ErrnoException;
  return { message, code, errno, syscall, path };
}

/** Restores the error. */
export function errorOf({ message, ...rest }: FileFailure): Error {
  return Object.assign(new Error(message), rest);
}
