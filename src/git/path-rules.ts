import { CommitError } from './commit-error.ts';

const MAX_BYTES = 4_096;
/** Code points that HFS+ leaves out of names, so that `.g<U+200C>it` is `.git` there. */
export const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether some file system would take this name for git's own folder. */
function meansDotGit(name: string): boolean {
  if (name.replace(HFS_IGNORED, '').toLowerCase() === '.git') return true;
  // NTFS: a stream name after a colon and closing dots and spaces do not count; git~1 is the short name.
  return name.split('\\').some((part) => /^(?:\.git|git~1)[. ]*(?::|$)/i.test(part));
}

/**
 * Splits the path of a file that is to be written into its components.
 * @throws CommitError for a path that is empty, absolute, too long (4,096 bytes), leads out of the repository, or
 *   names git's own folder on any file system
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

/** A path as clients give it, from the root of the repository: `/docs/a.md` is `docs/a.md`. */
export const withoutLeadingSlash = (path: string): string => path.replace(/^\/+/, '');
