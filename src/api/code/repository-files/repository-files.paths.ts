import { invalidParameter } from '../../../core/core.errors.ts';
import { withoutLeadingSlash } from '../../../git/commits/index.ts';

export const INVALID_FILE_PATH = 'file_path should be a valid file path';

/**
 * Normalizes a file path from a client by dropping a leading slash. Refuses paths outside of the repository and invalid
 * ones (path traversal).
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
