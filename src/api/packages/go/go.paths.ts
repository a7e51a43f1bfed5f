/** A request of a Go client. */
export interface ModuleRequest {
  /** Module path as in `go.mod`: `host.example/group/project/folder/v2`. */
  module: string;
  /** Null for the list of versions. */
  version: string | null;
  file: 'list' | 'info' | 'mod' | 'zip';
}

const MAX_PATH = 1_000;
const PATH = /^(.+)\/@v\/(?:(list)|([^/]+)\.(info|mod|zip))$/;

/** Capital letters are escaped as `!x`, for case-insensitive file systems. */
const unescaped = (text: string): string => text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Parses the path of a request below the proxy; undefined if it is invalid. */
export function readModulePath(path: string): ModuleRequest | undefined {
  const match = path.length > MAX_PATH ? null : PATH.exec(path);
  if (match === null) return undefined;
  const [, module = '', list, version = '', file] = match;
  if (list !== undefined) return { module: unescaped(module), version: null, file: 'list' };
  return { module: unescaped(module), version: unescaped(version), file: file as 'info' | 'mod' | 'zip' };
}

/**
 * Returns where a module can be in a project: the folders whose `go.mod` may declare it. If the last segment of its
 * path is `v2` or higher, it is in a folder of that name, or in the parent folder.
 * @param address URL of the server
 * @param fullPath full path of the project
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

/** Possible locations of a module in a project. */
export interface ModuleLocation {
  module: string;
  /** Major version; null for 0 and 1. */
  major: number | null;
  /** Folder without the major version, which is the prefix of its tags. */
  folder: string;
  /** Folders that may contain `go.mod`, in order of precedence. */
  folders: readonly string[];
}
