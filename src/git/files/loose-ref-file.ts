import { type BigIntStats, closeSync, lstatSync, openSync, readSync } from 'node:fs';
import { isResourceExhaustion } from '../../core/resource-exhaustion.ts';
import { bytesPath, isOid } from '../common/index.ts';
import { isMissing } from './durable.ts';

const buffer = Buffer.allocUnsafeSlow(256);

/** Status of a file without following links; undefined if it does not exist. @throws the file system's error */
export function statOf(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Object id in a reference file; null if it has none, undefined if the file does not exist. */
export function readFile(path: string | Buffer): string | null | undefined {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    if (isResourceExhaustion(error)) throw error;
    return isMissing(error) ? undefined : null;
  }
  try {
    const text = buffer.toString('latin1', 0, readSync(handle, buffer, 0, buffer.length, 0)).trimEnd();
    return isOid(text) ? text : null;
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}

/** State of a loose reference: its id, `broken` without a valid id, `folder`, or null if it does not exist. */
export type LooseFile = { oid: string } | 'broken' | 'folder' | null;

/** Reads a loose reference from its file. @throws the file system's error */
export function readLooseRef(dir: string, name: string): LooseFile {
  const path = bytesPath(dir, name);
  const stats = statOf(path);
  if (stats === undefined) return null;
  if (stats.isDirectory()) return 'folder';
  const oid = stats.isFile() ? readFile(path) : null;
  return oid === undefined ? null : oid === null ? 'broken' : { oid };
}
