/** First line sent to the line counter process. */
export interface Job {
  /** Directory of the repository. */
  dir: string;
  /** Checksum of the layer whose commits are counted, in hexadecimal. */
  sum: string;
  threads: number;
}

/** Each further line; the answer consists of rows in the format of `takeRows`. */
export interface Slice {
  /** Indexes of commits in the layer. */
  places: readonly number[];
}
