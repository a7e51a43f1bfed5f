/** What a Go client asks of a module. */
export interface ModuleRequest {
  /** As `go.mod` says it: `host.example/group/project/folder/v2`. */
  module: string;
  /** Null for the list of versions. */
  version: string | null;
  file: 'list' | 'info' | 'mod' | 'zip';
}

const MAX_PATH = 1_000;
const PATH = /^(.+)\/@v\/(?:(list)|([^/]+)\.(info|mod|zip))$/;

/** Capital letters are sent as `!x`, for file systems that do not tell them apart. */
const unescaped = (text: string): string => text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads the path of a request below the proxy; undefined for one that asks for nothing. */
export function readModulePath(path: string): ModuleRequest | undefined {
  const match = path.length > MAX_PATH ? null : PATH.exec(path);
  if (match === null) return undefined;
  const [, module = '', list, version = '', file] = match;
  if (list !== undefined) return { module: unescaped(module), version: null, file: 'list' };
  return { module: unescaped(module), version: unescaped(version), file: file as 'info' | 'mod' | 'zip' };
}

/**
 * Where in a project the module of a path can be: `go.mod` of which folder must name it. A path whose last part is `v2` or
 * higher is that of a major version, which lies in a folder of that name or in the place of the former one.
 * @param address of the server
 * @param fullPath of the project
 * @returns undefined for modules of other projects
 */
export function locateModule(address: string, fullPath: string, module: string): ModuleLocation | undefined {
  const { hostname, pathname } = new URL(address);
  const root = `${hostname}${pathname.replace(/\/$/, '')}/${fullPath}`;
  if (module !== root && !module.startsWith(`${root}/`)) return undefined;
  const folder = module.slice(root.length + 1);
  if (folder !== '' && folder.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
  const [, major] = /(?:^|\/)v([2-9]|[1-9]\d+)$/.exec(folder) ?? [];
  if (major === undefined) return { module, major: null, folder, folders: [folder] };
  const above = folder.slice(0, folder.lastIndexOf('/') + 1).replace(/\/$/, '');
  return { module, major: Number(major), folder: above, folders: [above, folder] };
}

/** A module of a project. */
export interface ModuleLocation {
  module: string;
  /** Of its versions; null for 0 and 1. */
  major: number | null;
  /** Without the major version: tags of its versions can begin with it. */
  folder: string;
  /** Where `go.mod` can be, the place that counts first. */
  folders: readonly string[];
}
