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
