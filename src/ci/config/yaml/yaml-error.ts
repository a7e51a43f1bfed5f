/** A position in a text: offset, and line and column counted from 0. */
export interface Mark {
  index: number;
  line: number;
  column: number;
}

/** Invalid or disallowed YAML. Its message is shown to the author. */
export class YamlError extends Error {}

/** @param context what was being parsed, such as "while parsing a block mapping"; @param mark where that began */
export function syntaxError(problem: string, context: string | null, mark: Mark | null): YamlError {
  const words = context === null ? problem : `${problem} ${context}`;
  return new YamlError(`(<unknown>): ${words} at line ${(mark?.line ?? 0) + 1} column ${(mark?.column ?? 0) + 1}`);
}

/** The data with its repeated aliases exceeds the limits. */
export const tooBig = (): YamlError => new YamlError('The parsed YAML is too big');
