/**
 * Ref folders that only the server writes. A push may write to any other: branches, tags, `refs/notes`, refs of tools.
 */
export const SERVER_REFS: readonly string[] = [
  'refs/environments',
  'refs/keep-around',
  'refs/merge-requests',
  'refs/pipelines',
  'refs/stithy',
];

/** Whether a ref outside branches and tags is reserved for the server, or would replace a ref folder. */
export const isServerRef = (ref: string): boolean =>
  SERVER_REFS.some((folder) => ref === folder || ref.startsWith(`${folder}/`)) ||
  ref === 'refs/heads' ||
  ref === 'refs/tags';
