import { npmError } from './npm.errors.ts';
import { checkTag, checkVersion, isPackageName } from './npm.names.ts';

/**
 * Maximum length of a package.json in characters, without fields of arbitrary length: npm derives the description from
 * the readme.
 */
const MAX_STRUCTURE = 20_000;
const NOT_COUNTED = new Set(['description', 'readme', 'readmeFilename', 'licenseText', 'contributors', 'exports']);

/** Fields of package.json that installing a version needs. */
const STORED_FIELDS = [
  'bin',
  'directories',
  'engines',
  'os',
  'cpu',
  'libc',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'bundleDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'acceptDependencies',
  'funding',
  '_hasShrinkwrap',
  'hasInstallScript',
] as const;
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

/** A version to publish. */
export interface Manifest {
  version: string;
  /** Tag for the version. */
  tag: string;
  /** Stored part of its package.json. */
  stored: Record<string, unknown>;
}

type Json = Record<string, unknown>;
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/**
 * Parses the document of a publication.
 * @param name name of the package in the URL
 * @throws ApiError 400
 */
export function readManifest(document: Json, name: string): Manifest {
  if (typeof document.name !== 'string' || document.name === '') throw npmError(400, 'Name is empty.');
  if (document.name !== name) throw npmError(400, 'Name must match the URL.');
  if (!isPackageName(name)) {
    const rule = 'letters, digits and - + . _, optionally preceded by @scope/';
    throw npmError(400, `Validation failed: Name should be a valid NPM package name: ${rule}`);
  }
  const versions = Object.entries(objectOf(document.versions));
  const [version, input] = versions[0] ?? ['', null];
  if (version === '') throw npmError(400, 'Version is empty.');
  if (versions.length > 1) throw npmError(400, 'Only one version can be published at a time.');
  checkVersion(version);
  const manifest = objectOf(input);
  if ((manifest.name ?? name) !== name || (manifest.version ?? version) !== version) {
    throw npmError(400, 'Name and version in package.json must match the package.');
  }
  const counted = Object.entries(manifest).filter(([key]) => !NOT_COUNTED.has(key));
  if (JSON.stringify(Object.fromEntries(counted)).length > MAX_STRUCTURE) {
    const text = `structure is too large. Maximum size is ${MAX_STRUCTURE} characters`;
    throw npmError(400, `Validation failed: Package json ${text}`);
  }
  const [tag = 'latest'] = Object.keys(objectOf(document['dist-tags']));
  checkTag(tag);
  return { version, tag, stored: storedFieldsOf(manifest) };
}

function storedFieldsOf(manifest: Json): Json {
  const stored: Json = {};
  for (const key of STORED_FIELDS) if (manifest[key] !== undefined) stored[key] = manifest[key];
  stored.bundleDependencies ??= manifest.bundledDependencies;
  const scripts = objectOf(manifest.scripts);
  if (INSTALL_SCRIPTS.some((script) => typeof scripts[script] === 'string')) stored.hasInstallScript = true;
  return stored;
}
