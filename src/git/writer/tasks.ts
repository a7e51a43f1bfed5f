import { closeSync, constants, lstatSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { isMissing, syncFile, syncPath } from '../durable.ts';
import { bytesPath } from '../git.bytes.ts';
import { type NamedObject, syncFolders, writeFiles } from '../loose-files.ts';
import { statOf } from '../loose-ref-file.ts';
import { type LocksTask, type TakenLock, takeLocks } from './writer.locks.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** What of an error of the file system others look at; an error that is handed to another thread loses it. */
export interface FileFailure {
  message: string;
  code: string | undefined;
  errno: number | undefined;
  syscall: string | undefined;
  path: string | undefined;
}

/** Objects of one repository that are written together: small ones, and few. */
export interface ObjectsTask {
  name: 'objects';
  objects: string;
  batch: readonly NamedObject[];
}

/** A lock file that is made with what is to become the content of the file that it locks. */
export interface LockTask {
  name: 'lock';
  path: string | Uint8Array;
  content: string;
}

/** A file that is put in the place of another one. */
export interface ReplaceTask {
  name: 'put';
  from: string | Uint8Array;
  to: string | Uint8Array;
  /** Whose names are to be durable then; null where somebody else sees to it. */
  folder: string | Uint8Array | null;
}

/** Files of a repository that are removed together: no matter whether they are there. */
export interface RemoveTask {
  name: 'remove';
  dir: string;
  names: readonly string[];
  /** The number of each file, where another one of its name may stand there by the time that the task is done again. */
  files: readonly number[] | null;
}

/** Work of a write with files of a repository, which is durable when it is done. */
export type Task = ObjectsTask | LockTask | ReplaceTask | LocksTask | RemoveTask;

/** What a task gives. */
export interface TaskResult {
  /** Of objects: the names of those that were not there. */
  fresh?: string[];
  /** Of a file that is in its place: why that may not be durable. */
  unsafe?: FileFailure;
  /** Of locks: what was taken, from the first on; up to the first that is not as most are. */
  taken?: TakenLock[];
  /** Of locks: the folders that had to be made, relative to the repository. */
  made?: string[];
}

/** Does a task in this thread. @throws the file system's error, of a task that has changed nothing but left objects that nobody needs */
export function runTask(task: Task): Promise<TaskResult> {
  if (task.name === 'objects') return storeHere(task);
  if (task.name === 'locks') return Promise.resolve(takeLocks(task));
  if (task.name === 'remove') return removeFiles(task);
  return task.name === 'lock' ? makeLock(task) : putInPlace(task);
}

/** The number of the file that a task moves, by which it is known in any place; null of one that moves none. */
export function fileOf(task: Task): number | null {
  if (task.name !== 'put') return null;
  return lstatSync(task.from as string, { throwIfNoEntry: false })?.ino ?? null;
}

/**
 * Does a task of which nobody knows how far another thread came with it. A file that has been put in its place is not missed where it
 * was: there may be somebody else's lock by then.
 * @param file what `fileOf` gave before the other thread began
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
      await syncFile(file);
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
      // Of a packed reference, a folder may have the name.
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

/** What of an error can be handed to another thread. */
export function failureOf(error: unknown): FileFailure {
  const { message, code, errno, syscall, path } = error as NodeJS.ErrnoException;
  return { message, code, errno, syscall, path };
}

/** The error again. */
export function errorOf({ message, ...rest }: FileFailure): Error {
  return Object.assign(new Error(message), rest);
}
