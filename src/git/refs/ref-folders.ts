/** Prefix of branches: the branch `main` is the ref `refs/heads/main`. */
export const HEADS = 'refs/heads/';

/** Prefix of tags. */
export const TAGS = 'refs/tags/';
