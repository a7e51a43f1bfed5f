import { invalidParameter } from '../../../core/core.errors.ts';
import { withoutLeadingSlash } from '../../../git/path-rules.ts';

export const INVALID_FILE_PATH = 'file_path should be a valid file path';

/**
 * The path of a file as a client gives it, a leading slash dropped. Refuses paths that leave the repository or cannot be
 * in one (attack: traversal).
 * @throws ApiError 400
 */
export function filePath(input: string): string {
  const path = withoutLeadingSlash(input);
  const parts = path.split('/');
  if (path === '' || path.includes('\0') || parts.includes('..') || path.trim() === '') {
    throw invalidParameter(INVALID_FILE_PATH);
  }
  return path;
}
