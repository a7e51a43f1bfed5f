import { GitError, isValidRefName } from '../common/index.ts';

const PEEL = /\^\{(commit|tree|blob|tag|)\}$/;
const DIGITS = /^[0-9a-f]{4,64}$/;

/**
 * Parses the name of an object: an object id (possibly abbreviated) or a reference, with an optional `^{type}`.
 * @returns `peelTo` is the type, empty for anything but a tag, undefined without a suffix
 * @throws GitError `invalid` for any other text
 */
export function parseObjectName(name: string): { bare: string; peelTo: string | undefined } {
  const bare = name.replace(PEEL, '');
  if (!DIGITS.test(bare) && !isValidRefName(bare)) throw new GitError('invalid', 'not an object name');
  return { bare, peelTo: PEEL.exec(name)?.[1] };
}
