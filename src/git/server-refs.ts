/**
 * Folders of refs that only the server writes. Whoever may push may push to any other: branches, tags, `refs/notes`,
 * what a tool calls its own.
 */
export const SERVER_REFS: readonly string[] = [
  'refs/environments',
  'refs/keep-around',
  'refs/merge-requests',
  'refs/pipelines',
  'refs/stithy',
];

/** Whether a ref outside branches and tags is the server's own, or would take the place of a folder of refs. */
export const isServerRef = (ref: string): boolean =>
  SERVER_REFS.some((folder) => ref === folder || ref.startsWith(`${folder}/`)) ||
  ref === 'refs/heads' ||
  ref === 'refs/tags';
