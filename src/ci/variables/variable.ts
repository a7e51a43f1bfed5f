/** A variable of a pipeline or a job. */
export interface Variable {
  key: string;
  value: string;
  /** Whether its value is the path of a file with this content, for the job. */
  file?: boolean;
  /** Whether references in its value stay as they are. */
  raw?: boolean;
  /** Whether logs hide its value. */
  masked?: boolean;
  /** Whether the runner may show it. */
  public?: boolean;
}

/** Values by name, as expressions and references see them. */
export type VariableValues = ReadonlyMap<string, Variable>;

/** The part of it that finding one takes. */
export type VariableLookup = Pick<VariableValues, 'get'>;

/** @param variables those of lower precedence first: a later one takes the place of an earlier one of its name */
export function variableValues(...variables: readonly Iterable<Variable>[]): Map<string, Variable> {
  const values = new Map<string, Variable>();
  for (const each of variables) {
    for (const variable of each) {
      values.delete(variable.key);
      values.set(variable.key, variable);
    }
  }
  return values;
}
