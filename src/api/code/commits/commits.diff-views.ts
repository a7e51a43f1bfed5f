import type { Static } from 'typebox';
import type { FileDiff } from '../../../git/diff/index.ts';
import { isGeneratedPath } from '../../../git/trees/index.ts';
import type { Diff } from './commits.diff-responses.ts';

/** Adds the two header lines that `patch` requires to the hunks. */
function unified(file: FileDiff, oldPath: string, newPath: string): string {
  if (file.diff === '' || file.binary) return file.diff;
  const before = file.newFile ? '/dev/null' : `a/${oldPath}`;
  const after = file.deletedFile ? '/dev/null' : `b/${newPath}`;
  return `--- ${before}\n+++ ${after}\n${file.diff}`;
}

/** Renders the diff of a file. @param unidiff whether to include the `---` and `+++` lines */
export function presentDiff(file: FileDiff, unidiff: boolean): Static<typeof Diff> {
  const oldPath = file.oldPath.toWellFormed();
  const newPath = file.newPath.toWellFormed();
  return {
    diff: unidiff ? unified(file, oldPath, newPath) : file.diff,
    collapsed: file.collapsed,
    too_large: file.tooLarge,
    new_path: newPath,
    old_path: oldPath,
    a_mode: file.aMode,
    b_mode: file.bMode,
    new_file: file.newFile,
    renamed_file: file.renamedFile,
    deleted_file: file.deletedFile,
    generated_file: isGeneratedPath(newPath),
  };
}
