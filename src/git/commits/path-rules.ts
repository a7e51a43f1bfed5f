import { CommitError } from './commit-error.ts';

const MAX_BYTES = 4_096;
/** Code points that HFS+ ignores in names, so that `.g<U+200C>it` is `.git` there. */
export const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether any file system would interpret this name as git's own folder. */
function meansDotGit(name: string): boolean {
  if (name.replace(HFS_IGNORED, '').toLowerCase() === '.git') return true;
  // NTFS ignores a stream name after a colon and trailing dots and spaces; git~1 is the short name.
  return name.split('\\').some((part) => /^(?:\.git|git~1)[. ]*(?::|$)/i.test(part));
}

/**
 * Splits the path of a file to write into its components.
 * @throws CommitError for a path that is empty, absolute, too long (4,096 bytes), leaves the repository, or names
 *   git's own folder on any file system
 */
export function splitPath(path: string): string[] {
  if (path === '') throw new CommitError('path_missing', path);
  const parts = path.split('/');
  if (parts.some((part) => part.split('\\').includes('..'))) throw new CommitError('path_traversal', path);
  const bad =
    path.includes('\0') ||
    !path.isWellFormed() ||
    Buffer.byteLength(path) > MAX_BYTES ||
    parts.some((part) => part === '' || part === '.' || meansDotGit(part));
  if (bad) throw new CommitError('path_invalid', path);
  return parts;
}

/** Normalizes a client's path from the root of the repository: `/docs/a.md` becomes `docs/a.md`. */
export const withoutLeadingSlash = (path: string): string => path.replace(/^\/+/, '');
