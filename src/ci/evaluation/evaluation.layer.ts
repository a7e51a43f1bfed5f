import type { StoredVariable } from '../compile-request.ts';
import { isFor } from '../variables/environment-scope.ts';
import { referencesIn, refers } from '../variables/expand.ts';
import { inOrder } from '../variables/expansion.order.ts';
import { type Variable, type VariableLookup, variableValues } from '../variables/variable.ts';

/** Variables of one precedence level; names that it does not contain are looked up in lower levels. */
export interface Layer extends VariableLookup {
  /** Variables that refer to others, including shadowed ones, lowest precedence first. */
  readonly referring: readonly Variable[];
}

/** @param variables lowest precedence first */
export function layerOf(variables: Iterable<Variable>): Layer {
  const values = variableValues(variables);
  return { get: (name) => values.get(name), referring: [...values.values()].filter(refers) };
}

const NAMES = new WeakMap<Variable, readonly string[]>();

/** Names that the value of a variable refers to, cached because variables are shared by many jobs. */
export function namesIn(variable: Variable): readonly string[] {
  const known = NAMES.get(variable) ?? referencesIn(variable.value);
  NAMES.set(variable, known);
  return known;
}

/** Layers of stored variables by environment; there may be thousands of variables. */
export class StoredLayers {
  readonly #byKey: ReadonlyMap<string, readonly StoredVariable[]>;
  readonly #referring: readonly StoredVariable[];

  /** @param stored lowest precedence first */
  constructor(stored: readonly StoredVariable[]) {
    this.#byKey = Map.groupBy(stored, ({ key }) => key);
    this.#referring = stored.filter(refers);
  }

  /** @param environment environment name of the job; null for none */
  for(environment: string | null): Layer {
    const fits = (variable: StoredVariable) => isFor(variable, environment);
    const all = this.#referring;
    return {
      get: (name) => this.#byKey.get(name)?.findLast(fits),
      get referring() {
        return all.filter(fits);
      },
    };
  }
}

/** Whether variables may refer to each other in a circle, considering all variables of each name. */
export function mayBeCircular(variables: readonly Variable[]): boolean {
  const byKey = Map.groupBy(variables.filter(refers), ({ key }) => key);
  const names = new Map([...byKey].map(([key, each]) => [key, [...new Set(each.flatMap(namesIn))]]));
  const nodes = [...byKey.keys()].map((key) => ({ key, value: '' }));
  return inOrder(nodes, ({ key }) => names.get(key)!.filter((name) => name !== key)).circles.length > 0;
}
