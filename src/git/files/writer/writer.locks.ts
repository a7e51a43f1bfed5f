import { closeSync, constants, fstatSync, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { bytesPath } from '../../common/index.ts';
import { isMissing, isTaken } from '../durable.ts';
import { type LooseFile, readLooseRef } from '../loose-ref-file.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Locks of references to take together, without content. */
export interface LocksTask {
  name: 'locks';
  /** Directory of the repository. */
  dir: string;
  refs: readonly string[];
}

/** A lock that was taken. */
export interface TakenLock {
  /** Inode of its file. */
  file: number;
  /** State of the reference under the lock. */
  loose: LooseFile;
}

/** Takes locks in order and creates missing folders, until one cannot be taken immediately. Never throws. */
export function takeLocks({ dir, refs }: LocksTask): { taken: TakenLock[]; made: string[] } {
  const taken: TakenLock[] = [];
  const made: string[] = [];
  for (const ref of refs) {
    const lock = takeLock(dir, ref, made);
    if (lock === null) break;
    taken.push(lock);
  }
  return { taken, made };
}

function takeLock(dir: string, ref: string, made: string[]): TakenLock | null {
  const path = bytesPath(dir, `${ref}.lock`);
  const file = makeFile(path) ?? (makeFolders(dir, dirname(ref), made) ? makeFile(path) : null);
  if (file == null) return null;
  try {
    return { file, loose: readLooseRef(dir, ref) };
  } catch {
    unlinkSync(path);
    return null;
  }
}

/** Creates a file and returns its inode; undefined if its folder is missing, null if it cannot be created. */
function makeFile(path: string | Buffer): number | null | undefined {
  try {
    const file = openSync(path, O_CREAT | O_EXCL | O_WRONLY, 0o644);
    try {
      return fstatSync(file).ino;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return isMissing(error) ? undefined : null;
  }
}

function makeFolders(dir: string, folder: string, made: string[]): boolean {
  const parts = folder.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const at = parts.slice(0, length).join('/');
    try {
      mkdirSync(bytesPath(dir, at));
      made.push(at);
    } catch (error) {
      if (!isTaken(error)) return false;
    }
  }
  return true;
}
