/** A place of a seed file: `file:line: path`. */
export interface SeedPlace {
  readonly file: string;
  readonly line: number;
  /** As in `projects[0].issues[2].title`; empty for the whole file. */
  readonly path: string;
}

/** What is wrong with a seed, a line each: `file:line: path: what is right`. */
export class SeedError extends Error {
  override name = 'SeedError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** A line about a place of a seed. */
export const problemAt = ({ file, line, path }: SeedPlace, text: string): string =>
  `${file}:${line}: ${path === '' ? '' : `${path}: `}${text}`;
