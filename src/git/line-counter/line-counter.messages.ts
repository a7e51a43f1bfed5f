/** The first line to the process that counts. */
export interface Job {
  /** Of the repository. */
  dir: string;
  /** The check sum of the layer whose commits are counted, in hexadecimal digits. */
  sum: string;
  threads: number;
}

/** Each further line; rows come back for it, as `takeRows` writes them. */
export interface Slice {
  /** Of commits in the layer. */
  places: readonly number[];
}
