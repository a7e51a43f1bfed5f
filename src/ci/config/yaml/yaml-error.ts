/** A place in a text: its offset, and line and column counted from 0. */
export interface Mark {
  index: number;
  line: number;
  column: number;
}

/** A text is no YAML, or YAML that a configuration may not hold. Its message is shown to whoever wrote it. */
export class YamlError extends Error {}

/** @param context what was being read, as "while parsing a block mapping"; @param mark where that began */
export function syntaxError(problem: string, context: string | null, mark: Mark | null): YamlError {
  const words = context === null ? problem : `${problem} ${context}`;
  return new YamlError(`(<unknown>): ${words} at line ${(mark?.line ?? 0) + 1} column ${(mark?.column ?? 0) + 1}`);
}

/** What is in the text, with everything that its aliases repeat, is more than a configuration may be. */
export const tooBig = (): YamlError => new YamlError('The parsed YAML is too big');
