import { npmError } from './npm.errors.ts';
import { checkTag, checkVersion, isPackageName } from './npm.names.ts';

/** Characters of a package.json, without what can be as long as its author likes: npm makes a description of the readme. */
const MAX_STRUCTURE = 20_000;
const NOT_COUNTED = new Set(['description', 'readme', 'readmeFilename', 'licenseText', 'contributors', 'exports']);

/** What installing a version takes of its package.json. */
const KEPT = [
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

/** A version as somebody publishes it. */
export interface Manifest {
  version: string;
  /** Which leads to it from now on. */
  tag: string;
  /** What is kept of its package.json. */
  stored: Record<string, unknown>;
}

type Json = Record<string, unknown>;
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/**
 * Reads the document of a publication.
 * @param name of the package, as the address has it
 * @throws ApiError 400
 */
export function readManifest(document: Json, name: string): Manifest {
  if (typeof document.name !== 'string' || document.name === '') throw npmError(400, 'Name is empty.');
  if (document.name !== name) throw npmError(400, 'Name must be that of the address.');
  if (!isPackageName(name)) {
    const rule = 'letters, digits and - + . _, behind a @scope/ or alone';
    throw npmError(400, `Validation failed: Name should be a valid NPM package name: ${rule}`);
  }
  const versions = Object.entries(objectOf(document.versions));
  const [version, input] = versions[0] ?? ['', null];
  if (version === '') throw npmError(400, 'Version is empty.');
  if (versions.length > 1) throw npmError(400, 'One version is published at a time.');
  checkVersion(version);
  const manifest = objectOf(input);
  if ((manifest.name ?? name) !== name || (manifest.version ?? version) !== version) {
    throw npmError(400, 'Name and version of the package.json must be those of the package.');
  }
  const counted = Object.entries(manifest).filter(([key]) => !NOT_COUNTED.has(key));
  if (JSON.stringify(Object.fromEntries(counted)).length > MAX_STRUCTURE) {
    const text = `structure is too large. Maximum size is ${MAX_STRUCTURE} characters`;
    throw npmError(400, `Validation failed: Package json ${text}`);
  }
  const [tag = 'latest'] = Object.keys(objectOf(document['dist-tags']));
  checkTag(tag);
  return { version, tag, stored: keptOf(manifest) };
}

function keptOf(manifest: Json): Json {
  const stored: Json = {};
  for (const key of KEPT) if (manifest[key] !== undefined) stored[key] = manifest[key];
  stored.bundleDependencies ??= manifest.bundledDependencies;
  const scripts = objectOf(manifest.scripts);
  if (INSTALL_SCRIPTS.some((script) => typeof scripts[script] === 'string')) stored.hasInstallScript = true;
  return stored;
}
