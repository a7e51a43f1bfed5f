import { GitError } from './git.errors.ts';

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const EMPTY_TREE_SHA256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';
const MAX_PATH = 4096;

/** Makes git treat every pathspec as a literal path. */
export const LITERAL_PATHS = { GIT_LITERAL_PATHSPECS: '1' } as const;

/**
 * Validates an argument list of complete object ids.
 * @throws GitError `invalid` for anything else
 */
export function checkOids(oids: readonly string[]): void {
  for (const oid of oids) {
    if (!OID.test(oid)) throw new GitError('invalid', 'not a complete object id');
  }
}

/** Id of the empty tree in the object format of `oid`. */
export function emptyTreeLike(oid: string): string {
  return oid.length === 64 ? EMPTY_TREE_SHA256 : EMPTY_TREE;
}

/**
 * Whether a string is a valid path of a tree entry: no empty, `.` or `..` component, no NUL, at most 4,096 characters.
 * Git fails on some of the others, which must not look like a server error.
 */
export function isEntryPath(path: string): boolean {
  if (path.length === 0 || path.length > MAX_PATH || path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Whether a path survives an argument list, which only transports UTF-8. */
export function fitsArgument(path: string): boolean {
  return path.isWellFormed();
}

/** Whether a string can be passed as a path in the arguments. */
export const isPathArgument = (path: string): boolean => isEntryPath(path) && fitsArgument(path);
