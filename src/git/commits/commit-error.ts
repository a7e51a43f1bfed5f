export type CommitRefusal =
  | 'path_missing'
  | 'path_traversal'
  | 'path_invalid'
  | 'file_exists'
  | 'file_missing'
  | 'directory_exists'
  | 'file_changed'
  | 'submodule_invalid'
  | 'submodule_format'
  | 'submodule_missing'
  | 'submodule_unchanged';

const TEXTS: Readonly<Record<CommitRefusal, (path: string) => string>> = {
  path_missing: () => 'You must provide a file path',
  path_traversal: () => 'Path cannot include directory traversal',
  path_invalid: (path) => `invalid path: '${path}'`,
  file_exists: () => 'A file with this name already exists',
  file_missing: () => "A file with this name doesn't exist",
  directory_exists: () => 'A directory with this name already exists',
  file_changed: (path) => `The file has changed since you started editing it: ${path}`,
  submodule_invalid: (path) => `invalid submodule settings: '${path}'`,
  submodule_format: () => 'commit_sha is not of the object format of this repository',
  submodule_missing: (path) => `Invalid submodule path: there is no submodule at '${path}'`,
  submodule_unchanged: (path) => `The submodule ${path} is already at this commit`,
};

/** An action that cannot be applied. Its message is meant for the client, unlike that of a `GitError`. */
export class CommitError extends Error {
  readonly code: CommitRefusal;
  readonly path: string;

  constructor(code: CommitRefusal, path: string) {
    super(TEXTS[code](path));
    this.name = 'CommitError';
    this.code = code;
    this.path = path;
  }
}
