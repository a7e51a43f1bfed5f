import { GitError } from './git.errors.ts';

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const EMPTY_TREE_SHA256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';
const MAX_PATH = 4096;

/** Makes git take every pathspec as a plain path, without magic and without wildcards. */
export const LITERAL_PATHS = { GIT_LITERAL_PATHSPECS: '1' } as const;

/**
 * Guards an argument list: only complete object ids pass.
 * @throws GitError `invalid` for anything else
 */
export function checkOids(oids: readonly string[]): void {
  for (const oid of oids) {
    if (!OID.test(oid)) throw new GitError('invalid', 'not a complete object id');
  }
}

/** The id of the empty tree in the object format that `oid` belongs to. */
export function emptyTreeLike(oid: string): string {
  return oid.length === 64 ? EMPTY_TREE_SHA256 : EMPTY_TREE;
}

/**
 * Whether a text can name an entry of a tree: no empty, `.` or `..` component, no NUL, not over 4,096 characters.
 * Git refuses some of the others with an error, which must not become one of the caller's.
 */
export function isEntryPath(path: string): boolean {
  if (path.length === 0 || path.length > MAX_PATH || path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Whether a path survives the way through an argument list, which holds UTF-8 only. */
export function fitsArgument(path: string): boolean {
  return path.isWellFormed();
}

/** Whether a text can stand for a path in the arguments. */
export const isPathArgument = (path: string): boolean => isEntryPath(path) && fitsArgument(path);
