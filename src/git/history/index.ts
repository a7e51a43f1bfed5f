/** Commits in order: logs, last commits, merge bases, blame, contributors, signatures, trailers. */

export { authorTest } from './author-pattern.ts';
export { commitsBetween } from './commits-between.ts';
export { type RefFolder, refsContaining, refWith } from './contains.ts';
export { type ContentForm, FILE_AT, type FileAtCommit } from './file-at.ts';
export { type Blame, blame } from './git.blame.ts';
export { divergence, isAncestor, mergeBase, mergeBases, mergedInto } from './git.compare.ts';
export { type Contributor, listContributors } from './git.contributors.ts';
export { type CommitSignature, extractSignature, signatureOf, tagSignatureOf } from './git.signature.ts';
export { lastCommitOf } from './last-commit.ts';
export { countCommits, type LogQuery, listCommits } from './log.ts';
export { COMMITS, readLogPage } from './log-page.ts';
export { MERGED_INTO } from './merged-into.ts';
export { parseTrailers } from './trailers.ts';
