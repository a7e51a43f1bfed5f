import { ApiError, invalidParameter } from '../../../core/core.errors.ts';
import { pythonName } from '../../../packages/python-name.ts';
import type { Upload } from '../receive-upload.ts';
import { isFileName, isName, normalVersion } from './pypi.names.ts';

/** How many characters are kept of what an upload says of its version; the rest is cut. */
const KEPT = {
  author_email: 2048,
  description: 4000,
  description_content_type: 128,
  keywords: 1024,
  metadata_version: 16,
  summary: 255,
} as const;
const MAX_REQUIRES_PYTHON = 255;

/** Fields of an upload that are read; tools send many more. */
export const FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(KEPT),
  'name',
  'version',
  'requires_python',
  'md5_digest',
  'sha256_digest',
]);

/** What is kept of a file beside its bytes. */
export interface FileMetadata {
  /** Which versions of Python can use it, as PEP 440 says it; empty for all. */
  requires_python: string;
  /** SHA-256 of the metadata in a wheel, which can be had without it (PEP 658); absent where there are none. */
  metadata_sha256?: string;
}

/** A file of a Python package, as its upload describes it. */
export interface Distribution {
  name: string;
  nameKey: string;
  version: string;
  versionKey: string;
  fileName: string;
  facts: FileMetadata;
  /** What the upload says of the version. */
  about: Record<string, string>;
}

/** 400 in the words that twine shows, and looks for. */
export const invalid = (text: string): ApiError => new ApiError(400, `400 Bad request - Validation failed: ${text}`);

const cut = (text: string, length: number): string => [...text].slice(0, length).join('');

/** Reads what came with a file. @throws ApiError 400 */
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
  const about = Object.entries(KEPT).flatMap(([field, length]) =>
    fields[field] ? [[field, cut(fields[field], length)] as const] : [],
  );
  return {
    name,
    nameKey: pythonName(name),
    version: version.trim(),
    versionKey,
    fileName,
    facts: { requires_python },
    about: { ...Object.fromEntries(about), requires_python },
  };
}

/** Tools that know no digest send an empty one. */
function compareDigest(field: string, input: string | undefined, digest: string): void {
  if (input === undefined || input === '') return;
  if (input.length !== digest.length || !/^[0-9a-f]+$/i.test(input)) throw invalidParameter(`${field} is invalid`);
  if (input.toLowerCase() !== digest) throw invalid(`${field} is not that of the file that arrived`);
}
