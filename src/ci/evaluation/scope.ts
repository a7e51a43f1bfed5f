import { ExpansionError, expandText, referencesIn } from '../variables/expand.ts';
import { inOrder } from '../variables/order.ts';
import type { Variable, VariableLookup, VariableValues } from '../variables/variable.ts';

/** Characters that all expansions of a pipeline may add. */
export class ExpansionBudget {
  #room: number;

  constructor(room = 32 * 1_048_576) {
    this.#room = room;
  }

  /** @throws ExpansionError when the text has too much in it, or it is the one that makes it too much for the pipeline */
  expand(text: string, values: VariableLookup, undefinedAs: 'empty' | 'kept'): string {
    const expanded = expandText(text, values, { undefinedAs });
    if (expanded !== text) this.#room -= expanded.length;
    if (this.#room < 0) throw new ExpansionError('variables of the pipeline expand to too much text');
    return expanded;
  }
}

/** Variables in layers, the one of lowest precedence first. */
export type Layers = readonly VariableValues[];

interface Visit {
  variable: Variable;
  layer: number;
  names: Iterator<string>;
}

/**
 * What a condition or a text of a job sees: of each name the one in the highest layer, with what it refers to in its place.
 * Worked out when asked for, since most are not.
 */
export class VariableScope implements VariableLookup {
  readonly #layers: Layers;
  readonly #budget: ExpansionBudget;
  readonly #expanded = new Map<Variable, Variable>();

  constructor(layers: Layers, budget: ExpansionBudget) {
    this.#layers = layers;
    this.#budget = budget;
  }

  /** @throws ExpansionError when too much comes out */
  get(name: string): Variable | undefined {
    const found = this.#find(name, this.#layers.length);
    return found && this.#resolve(found.variable, found.layer);
  }

  /** A text with its references replaced. @throws ExpansionError when too much comes out */
  expand(text: string, undefinedAs: 'empty' | 'kept' = 'empty'): string {
    return this.#budget.expand(text, this, undefinedAs);
  }

  /** Names of the variables that refer to each other in circles. */
  circles(): string[][] {
    const referring = this.#layers.flatMap(referringIn);
    if (referring.length < 2) return [];
    const visible = (name: string) => this.#find(name, this.#layers.length);
    return inOrder(referring, (variable) => {
      const names = referencesIn(variable.value);
      return names.filter((name) => name === variable.key || (visible(name) && refers(visible(name)!.variable)));
    }).circles;
  }

  #find(name: string, below: number): { variable: Variable; layer: number } | undefined {
    for (let layer = below - 1; layer >= 0; layer -= 1) {
      const variable = this.#layers[layer]!.get(name);
      if (variable !== undefined) return { variable, layer };
    }
    return undefined;
  }

  #target(name: string, { variable, layer }: Pick<Visit, 'variable' | 'layer'>) {
    return this.#find(name, name === variable.key ? layer : this.#layers.length);
  }

  /** Those that it refers to come first; of a circle the one that closes it is taken as it is written. */
  #resolve(start: Variable, startLayer: number): Variable {
    const open = new Set<Variable>();
    const visits: Visit[] = [];
    const enter = (variable: Variable, layer: number) => {
      if (this.#expanded.has(variable) || open.has(variable)) return;
      if (!refers(variable)) return;
      open.add(variable);
      visits.push({ variable, layer, names: referencesIn(variable.value).values() });
    };
    enter(start, startLayer);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const name = visit.names.next();
      if (name.done !== true) {
        const target = this.#target(name.value, visit);
        if (target !== undefined) enter(target.variable, target.layer);
        continue;
      }
      visits.pop();
      const at = visit;
      const lookup: VariableLookup = {
        get: (wanted) => {
          const target = this.#target(wanted, at)?.variable;
          return target && (this.#expanded.get(target) ?? target);
        },
      };
      const value = this.#budget.expand(at.variable.value, lookup, 'empty');
      this.#expanded.set(at.variable, { ...at.variable, value });
    }
    return this.#expanded.get(start) ?? start;
  }
}

/** Layers are shared by many jobs. */
const found = new WeakMap<VariableValues, readonly Variable[]>();

function referringIn(layer: VariableValues): readonly Variable[] {
  const known = found.get(layer) ?? [...layer.values()].filter(refers);
  found.set(layer, known);
  return known;
}

const refers = ({ raw, value }: Variable): boolean => raw !== true && (value.includes('$') || value.includes('%'));
