import { invalidParameter } from '../../core/errors.ts';

export const INVALID_FILE_PATH = 'file_path should be a valid file path';

/** Refuses paths that leave the repository or cannot be in one (attack: traversal). @throws ApiError 400 */
export function checkFilePath(path: string): void {
  const parts = path.split('/');
  if (path === '' || path.includes('\0') || parts.includes('..') || path.trim() === '') {
    throw invalidParameter(INVALID_FILE_PATH);
  }
}
