/** Where branches are: a branch `main` is the ref `refs/heads/main`. */
export const HEADS = 'refs/heads/';

/** Where tags are. */
export const TAGS = 'refs/tags/';
