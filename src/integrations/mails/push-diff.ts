import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import { diffTrees, type FileDiff } from '../../git/diff/index.ts';
import { mergeBase } from '../../git/history/index.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';

/** Limits of the diff in a mail. */
const LIMITS = { maxFiles: 100, maxLines: 5_000, maxPatchBytes: 50 * 1024, expanded: true };
const MAX_BYTES = 200 * 1024;
/** Maximum size of the diffs in all mails of a push together, in bytes. */
const MAX_TOGETHER = 16 * 1024 * 1024;
const RULE = '='.repeat(29);

/** Two commits of a project, and the number of recipients of the diff between them. */
export interface PushedRange {
  projectId: number;
  before: string;
  after: string;
  recipients: number;
}

/**
 * The diff of a push to a branch, for a mail: a summary of the files, and their diffs. For a force push, compares with
 * the merge base.
 * @returns an empty list if the commits no longer exist, or if the diff takes too long
 */
export async function pushDiff(deps: Deps, { projectId, before, after, recipients }: PushedRange): Promise<string[]> {
  const project = await deps.db
    .selectFrom('projects')
    .select(['repository_storage', 'disk_path'])
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (project === undefined) return [];
  const repo = repositoryOf(deps, project);
  const maxBytes = Math.min(MAX_BYTES, Math.floor(MAX_TOGETHER / Math.max(1, recipients)));
  try {
    const base = await mergeBase(repo, [before, after]);
    const { files, overflow, changedFiles } = await diffTrees(repo, base, after, { ...LIMITS, maxBytes });
    if (changedFiles === 0) return [];
    const left = overflow ? [`The diff is too large to be included in full (${changedFiles} files).`] : [];
    return [summaryOf(files), ...files.map(patchOf), ...left];
  } catch (error) {
    if (error instanceof GitError && ['failed', 'timeout', 'output_too_large'].includes(error.code)) return [];
    throw error;
  }
}

const nameOf = ({ oldPath, newPath, renamedFile }: FileDiff): string =>
  renamedFile ? `${oldPath} → ${newPath}` : newPath;

function markOf({ newFile, deletedFile, renamedFile }: FileDiff): string {
  return newFile ? '+' : deletedFile ? '-' : renamedFile ? '→' : '~';
}

const summaryOf = (files: readonly FileDiff[]): string =>
  ['Summary of changes:', ...files.map((file) => `  ${markOf(file)} ${nameOf(file)}`)].join('\n');

function patchOf(file: FileDiff): string {
  const text = file.tooLarge
    ? 'The diff of this file is too large to show.'
    : file.diff === '' && !file.binary
      ? 'No lines were changed.'
      : file.diff.trimEnd();
  return [RULE, nameOf(file), RULE, text].join('\n');
}
