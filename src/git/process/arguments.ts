const MAX_PATH = 4096;

/** Makes git treat every pathspec as a literal path. */
export const LITERAL_PATHS = { GIT_LITERAL_PATHSPECS: '1' } as const;

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
