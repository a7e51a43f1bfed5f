import type { StoredVariable } from '../compile-request.ts';
import { isFor } from '../variables/environment-scope.ts';
import { referencesIn, refers } from '../variables/expand.ts';
import { inOrder } from '../variables/expansion.order.ts';
import { type Variable, type VariableLookup, variableValues } from '../variables/variable.ts';

/** Variables of one place, that of a lower one being seen where it has none of the name. */
export interface Layer extends VariableLookup {
  /** Those that refer to others, shadowed ones too, the one of lowest precedence first. */
  readonly referring: readonly Variable[];
}

/** @param variables those of lower precedence first */
export function layerOf(variables: Iterable<Variable>): Layer {
  const values = variableValues(variables);
  return { get: (name) => values.get(name), referring: [...values.values()].filter(refers) };
}

const NAMES = new WeakMap<Variable, readonly string[]>();

/** Names that the value of a variable refers to; variables are shared by many jobs. */
export function namesIn(variable: Variable): readonly string[] {
  const known = NAMES.get(variable) ?? referencesIn(variable.value);
  NAMES.set(variable, known);
  return known;
}

/** Stored variables, which are thousands for a whole pipeline, as each job sees them by its environment. */
export class StoredLayers {
  readonly #byKey: ReadonlyMap<string, readonly StoredVariable[]>;
  readonly #referring: readonly StoredVariable[];

  /** @param stored those of lower precedence first */
  constructor(stored: readonly StoredVariable[]) {
    this.#byKey = Map.groupBy(stored, ({ key }) => key);
    this.#referring = stored.filter(refers);
  }

  /** @param environment name of that of the job; null for none */
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

/** Whether variables could refer to each other in a circle, each name standing for all that it may mean. */
export function mayBeCircular(variables: readonly Variable[]): boolean {
  const byKey = Map.groupBy(variables.filter(refers), ({ key }) => key);
  const names = new Map([...byKey].map(([key, each]) => [key, [...new Set(each.flatMap(namesIn))]]));
  const nodes = [...byKey.keys()].map((key) => ({ key, value: '' }));
  return inOrder(nodes, ({ key }) => names.get(key)!.filter((name) => name !== key)).circles.length > 0;
}
