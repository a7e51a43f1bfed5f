import { ExpansionError, expandText, refers } from '../variables/expand.ts';
import { inOrder } from '../variables/expansion.order.ts';
import type { Variable, VariableLookup } from '../variables/variable.ts';
import { type Layer, namesIn } from './evaluation.layer.ts';

/** Budget of characters for all expansions of a pipeline. */
export class ExpansionBudget {
  #room: number;

  constructor(room = 32 * 1_048_576) {
    this.#room = room;
  }

  /** @throws ExpansionError if the text exceeds its own limit or that of the pipeline */
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
 * Variables visible to a condition or text of a job: of each name the one with the highest precedence, expanded.
 * Computed on demand, because most are not used.
 */
export class VariableScope implements VariableLookup {
  readonly #layers: readonly Layer[];
  readonly #budget: ExpansionBudget;
  readonly #suspects: readonly Layer[];
  readonly #expanded = new Map<Variable, Variable>();

  /**
   * @param layers lowest precedence first
   * @param suspects layers through which circular references must pass, if there are any
   */
  constructor(layers: readonly Layer[], budget: ExpansionBudget, suspects = layers) {
    this.#layers = layers;
    this.#budget = budget;
    this.#suspects = suspects;
  }

  /** @throws ExpansionError if the result is too long */
  get(name: string): Variable | undefined {
    const match = this.#find(name, this.#layers.length);
    return match && this.#resolve(match.variable, match.layer);
  }

  /** Expands a text. @throws ExpansionError if the result is too long */
  expand(text: string, undefinedAs: 'empty' | 'kept' = 'empty'): string {
    return this.#budget.expand(text, this, undefinedAs);
  }

  /** Names of variables with circular references. */
  circularReferences(): string[][] {
    const reached = new Set(this.#suspects.flatMap(({ referring }) => referring));
    if (reached.size === 0) return [];
    const visible = (name: string) => {
      const variable = this.#find(name, this.#layers.length)?.variable;
      return variable !== undefined && refers(variable) ? variable : undefined;
    };
    // Added variables are processed in turn.
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

  /** Expands referenced variables first; in a circle, the variable that closes it is used unexpanded. */
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
