import { GitError } from './git.errors.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
/** Hash algorithm of a repository's object ids. */
export type ObjectFormat = 'sha1' | 'sha256';

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const EMPTY_TREE_SHA256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';

/** Whether a string is a complete object id of either format, in lower case. */
export function isOid(text: string): boolean {
  return OID.test(text);
}

/**
 * Validates an argument list of complete object ids.
 * @throws GitError `invalid` for anything else
 */
export function checkOids(oids: readonly string[]): void {
  if (!oids.every(isOid)) throw new GitError('invalid', 'not a complete object id');
}

/** Id of the empty tree in the object format of `oid`. */
export function emptyTreeLike(oid: string): string {
  return oid.length === 64 ? EMPTY_TREE_SHA256 : EMPTY_TREE;
}
