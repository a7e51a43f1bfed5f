/** A variable of a pipeline or job. */
export interface Variable {
  key: string;
  value: string;
  /** Whether the job gets its value as a file, whose path is the variable's value. */
  file?: boolean;
  /** Whether references in its value are not expanded. */
  raw?: boolean;
  /** Whether its value is hidden in logs. */
  masked?: boolean;
  /** Whether the runner may show it. */
  public?: boolean;
}

/** Variables by name, for expressions and references. */
export type VariableValues = ReadonlyMap<string, Variable>;

/** The lookup of a variable. */
export type VariableLookup = Pick<VariableValues, 'get'>;

/** @param variables lowest precedence first: later ones override earlier ones of the same name */
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
