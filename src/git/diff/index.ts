/** Differences between two trees: changed files, patches, line counts. */

export { changedFiles } from './changed-files.ts';
export { changedPaths } from './changed-paths.ts';
export { commitDiff, DEFAULT_DIFF_LIMITS, type DiffOptions, diffTrees } from './diff.ts';
export type { DiffResult, FileDiff } from './diff-result.ts';
export { commitStats, statsOf, statsOfNew } from './diff-stats.ts';
export { mailPatch } from './mail-patch.ts';
export { nativeDiff, withDiffMemory } from './native-diff.ts';
export { patchId } from './patch-id.ts';
export { PATCH_MEMORY, rawPatch } from './raw-patch.ts';
