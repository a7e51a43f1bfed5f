import { invalidParameter } from '../../../core/core.errors.ts';

const NAME = /^[A-Za-z0-9._+-]{1,255}$/;
const VERSION = /^(?!.*\.\.)[\w+.-]{1,255}$/;
const FILE = /^[A-Za-z0-9._+-][A-Za-z0-9._+~@-]*(?<![~@])$/;
const MAX_FILE_NAME = 255;

/** A file of a generic package, parsed from its path. */
export interface GenericFile {
  name: string;
  version: string;
  /** Including its folders, with slashes as `%2F`. */
  fileName: string;
}

/** Parses the rest of a path: the version, optional folders, and the file name. @throws ApiError 400 */
export function genericFile(name: string, rest: string): GenericFile {
  const [version = '', ...path] = rest.split('/');
  if (!NAME.test(name) || isDots(name)) throw invalidParameter('package_name is invalid');
  if (!VERSION.test(version) || isDots(version)) throw invalidParameter('package_version is invalid');
  const last = path.at(-1) ?? '';
  if (!FILE.test(last) || isDots(last)) throw invalidParameter('file_name is invalid');
  if (!path.slice(0, -1).every((folder) => FILE.test(folder) && !isDots(folder)))
    throw invalidParameter('path is invalid');
  const fileName = path.join('%2F');
  if (fileName.length > MAX_FILE_NAME) throw invalidParameter('file_name is too long (maximum is 255 characters)');
  return { name, version, fileName };
}

const isDots = (text: string): boolean => text === '.' || text === '..';
