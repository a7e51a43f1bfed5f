import { ApiError, badRequest, invalidParameter } from '../../../core/core.errors.ts';

/** Checksums that Maven repositories provide for each file. */
const CHECKSUMS = ['md5', 'sha1', 'sha256', 'sha512'] as const;
export type Checksum = (typeof CHECKSUMS)[number];

const CHECKSUM_FILE = /^(.+)\.(md5|sha1|sha256|sha512)$/;
const NAME_PART = /^[\w.-]{1,255}$/;
const VERSION = /^(?!.*\.\.)[\w+.-]{1,255}$/;
const FILE = /^[A-Za-z0-9._+-]+$/;
const MAX_NAME = 255;
const MAX_FILE_NAME = 255;

export const METADATA_FILE = 'maven-metadata.xml';

/** A file of a Maven repository, parsed from its path. */
export interface MavenFile {
  /** `com/example/app`; only the group for metadata of plugins. */
  name: string;
  /** Null for metadata of all versions. */
  version: string | null;
  /** Without the suffix of a checksum. */
  fileName: string;
  /** Requested checksum; null for the file itself. */
  checksum: Checksum | null;
}

export const isSnapshot = (version: string): boolean => version.endsWith('-SNAPSHOT');

/** Parses a path such as `com/example/app/1.0/app-1.0.jar.sha1`. @throws ApiError 400 */
export function mavenFile(path: string): MavenFile {
  const parts = path.split('/');
  const last = parts.pop()!;
  const [, fileName = last, ending] = CHECKSUM_FILE.exec(last) ?? [];
  const checksum = CHECKSUMS.find((kind) => kind === ending) ?? null;
  if (last.length > MAX_FILE_NAME) throw badRequest('File name is too long');
  if (!FILE.test(last) || isDots(fileName)) throw invalidParameter('file_name is invalid');
  // Only snapshot versions have metadata of their own, which lists their builds.
  const ofAll = fileName === METADATA_FILE && !isSnapshot(parts.at(-1) ?? '');
  const version = ofAll ? null : (parts.pop() ?? '');
  const name = parts.join('/');
  const isName = parts.length >= (ofAll ? 1 : 2) && parts.every((part) => NAME_PART.test(part) && !isDots(part));
  if (!isName || name.length > MAX_NAME) throw invalidParameter('path is invalid');
  if (version !== null && (!VERSION.test(version) || isDots(version))) throw invalidParameter('path is invalid');
  return { name, version, fileName, checksum };
}

/** As `mavenFile`; undefined for an invalid path. */
export function readMavenFile(path: string): MavenFile | undefined {
  try {
    return mavenFile(path);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const isDots = (text: string): boolean => text === '.' || text === '..';
