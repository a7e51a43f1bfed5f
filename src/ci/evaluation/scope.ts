import { ExpansionError, expandText, refers } from '../variables/expand.ts';
import { inOrder } from '../variables/expansion.order.ts';
import type { Variable, VariableLookup } from '../variables/variable.ts';
import { type Layer, namesIn } from './evaluation.layer.ts';

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
  readonly #layers: readonly Layer[];
  readonly #budget: ExpansionBudget;
  readonly #suspects: readonly Layer[];
  readonly #expanded = new Map<Variable, Variable>();

  /**
   * @param layers the one of lowest precedence first
   * @param suspects those of them that circles of references must pass through, if there are any
   */
  constructor(layers: readonly Layer[], budget: ExpansionBudget, suspects = layers) {
    this.#layers = layers;
    this.#budget = budget;
    this.#suspects = suspects;
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
  circularReferences(): string[][] {
    const reached = new Set(this.#suspects.flatMap(({ referring }) => referring));
    if (reached.size === 0) return [];
    const visible = (name: string) => {
      const variable = this.#find(name, this.#layers.length)?.variable;
      return variable !== undefined && refers(variable) ? variable : undefined;
    };
    // What is added is looked at in turn.
    for (const variable of reached) {
      for (const name of namesIn(variable)) {
        const target = visible(name);
        if (target !== undefined) reached.add(target);
      }
    }
    return inOrder([...reached], (variable) =>
      namesIn(variable).filter((name) => name === variable.key || visible(name) !== undefined),
    ).circles;
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
    if (!refers(start)) return start;
    const open = new Set<Variable>();
    const visits: Visit[] = [];
    const enter = (variable: Variable, layer: number) => {
      if (this.#expanded.has(variable) || open.has(variable) || !refers(variable)) return;
      open.add(variable);
      visits.push({ variable, layer, names: namesIn(variable).values() });
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
      this.#expanded.set(visit.variable, this.#expand(visit));
    }
    return this.#expanded.get(start)!;
  }

  #expand(visit: Visit): Variable {
    const lookup: VariableLookup = {
      get: (name) => {
        const target = this.#target(name, visit)?.variable;
        return target && (this.#expanded.get(target) ?? target);
      },
    };
    return { ...visit.variable, value: this.#budget.expand(visit.variable.value, lookup, 'empty') };
  }
}
