import { ApiError, invalidParameter } from '../../../core/core.errors.ts';
import type { Upload } from '../receive-upload.ts';
import { isFileName, isName, normalVersion } from './pypi.names.ts';

/** Maximum lengths of stored metadata; the rest is cut off. */
const STORED_LENGTHS = {
  author_email: 2048,
  description: 4000,
  description_content_type: 128,
  keywords: 1024,
  metadata_version: 16,
  summary: 255,
} as const;
const MAX_REQUIRES_PYTHON = 255;

/** Fields of an upload that are used; tools send many more. */
export const FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(STORED_LENGTHS),
  'name',
  'version',
  'requires_python',
  'md5_digest',
  'sha256_digest',
]);

/** Metadata of a file. */
export interface FileMetadata {
  /** Supported versions of Python, as in PEP 440; empty for all. */
  requires_python: string;
  /** SHA-256 of the metadata in a wheel, which can be downloaded separately (PEP 658); absent if there are none. */
  metadata_sha256?: string;
}

/** A file of a Python package, with the metadata of its upload. */
export interface Distribution {
  name: string;
  version: string;
  versionKey: string;
  fileName: string;
  facts: FileMetadata;
  /** Metadata of the version. */
  about: Record<string, string>;
}

/** 400 in a form that twine recognizes and shows. */
export const invalid = (text: string): ApiError => new ApiError(400, `400 Bad request - Validation failed: ${text}`);

const cut = (text: string, length: number): string => [...text].slice(0, length).join('');

/** Reads the fields of an upload. @throws ApiError 400 */
export function readDistribution({ file, filename, fields }: Upload): Distribution {
  const { name, version, requires_python = '' } = fields;
  if (name === undefined) throw invalidParameter('name is missing');
  if (version === undefined) throw invalidParameter('version is missing');
  if (!isName(name)) throw invalid('Name is invalid');
  const versionKey = normalVersion(version);
  if (versionKey === undefined) throw invalid('Version is invalid');
  const fileName = filename ?? '';
  if (!isFileName(fileName)) throw invalid('File name is invalid');
  if (requires_python.length > MAX_REQUIRES_PYTHON) {
    throw invalid('Requires python is too long (maximum is 255 characters)');
  }
  compareDigest('sha256_digest', fields.sha256_digest, file.sha256);
  compareDigest('md5_digest', fields.md5_digest, file.md5);
  const about = Object.entries(STORED_LENGTHS).flatMap(([field, length]) =>
    fields[field] ? [[field, cut(fields[field], length)] as const] : [],
  );
  return {
    name,
    version: version.trim(),
    versionKey,
    fileName,
    facts: { requires_python },
    about: { ...Object.fromEntries(about), requires_python },
  };
}

/** Tools that do not know a digest send an empty one. */
function compareDigest(field: string, input: string | undefined, digest: string): void {
  if (input === undefined || input === '') return;
  if (input.length !== digest.length || !/^[0-9a-f]+$/i.test(input)) throw invalidParameter(`${field} is invalid`);
  if (input.toLowerCase() !== digest) throw invalid(`${field} does not match the uploaded file`);
}
