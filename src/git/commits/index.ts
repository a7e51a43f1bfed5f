/** New commits and tags. */

export { CommitError } from './commit-error.ts';
export { type FileAction, prepareCommit, writeActions, writeCommit } from './commit-writer.ts';
export { splitPath, withoutLeadingSlash } from './path-rules.ts';
export { writeTag } from './tag-writer.ts';
