import { circularText, inOrder } from './expansion.order.ts';
import type { Variable, VariableLookup } from './variable.ts';

/** Why variables cannot be expanded; the words follow the name of the job. */
export class ExpansionError extends Error {
  override name = 'ExpansionError';
}

/** Characters that a text, or all variables of a job together, may come to. */
const MAX_CHARACTERS = 1_048_576;

const REFERENCE = /\$\$|%%|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|%([A-Za-z_]\w*)%/g;

export interface ExpandOptions {
  /** What a reference to no variable becomes: nothing (default), or it stays as it is written. */
  undefinedAs?: 'empty' | 'kept';
  /** Whether references to variables of the kind stay as they are written, as a job wants them. */
  keepFiles?: boolean;
  keepRaw?: boolean;
  /** Characters that may come out at most. */
  limit?: number;
}

/** Names that a text refers to (`$A`, `${A}`, `%A%`), in their order, each once. */
export function referencesIn(text: string): string[] {
  if (!text.includes('$') && !text.includes('%')) return [];
  const names = new Set<string>();
  for (const [, plain, braced, percent] of text.matchAll(REFERENCE)) {
    const name = plain ?? braced ?? percent;
    if (name !== undefined) names.add(name);
  }
  return [...names];
}

/** Whether references in the value of a variable count. */
export const refers = ({ raw, value }: Variable): boolean =>
  raw !== true && (value.includes('$') || value.includes('%'));

/**
 * A text with its references to variables (`$A`, `${A}`, `%A%`) replaced, once: what a value refers to in turn is left. `$$` and `%%` stay.
 * @throws ExpansionError when too much comes out
 */
export function expandText(text: string, values: VariableLookup, options: ExpandOptions = {}): string {
  if (!text.includes('$') && !text.includes('%')) return text;
  const { undefinedAs = 'empty', keepFiles = false, keepRaw = false, limit = MAX_CHARACTERS } = options;
  let room = limit - text.length;
  return text.replaceAll(REFERENCE, (written: string, plain?: string, braced?: string, percent?: string) => {
    const name = plain ?? braced ?? percent;
    if (name === undefined) return written;
    const variable = values.get(name);
    if (variable === undefined) return undefinedAs === 'kept' ? written : '';
    if ((keepFiles && variable.file === true) || (keepRaw && variable.raw === true)) return written;
    room -= variable.value.length;
    if (room < 0) throw new ExpansionError(`variables expand to more than ${limit} characters`);
    return variable.value;
  });
}

/**
 * Variables with the references among them replaced, each after those that it refers to. One that refers to its own name
 * means the one of lower precedence. Raw ones stay as they are.
 * @param variables those of lower precedence first; names may be there several times
 * @returns all of them, in the order given
 * @throws ExpansionError for references in a circle, and when too much comes out
 */
export function expandVariables(variables: Iterable<Variable>, options: ExpandOptions = {}): Variable[] {
  const { limit = MAX_CHARACTERS } = options;
  const given = [...variables];
  if (!given.some(refers)) return given;
  const { ordered, circles } = inOrder(given, (variable) => (refers(variable) ? referencesIn(variable.value) : []));
  if (circles.length > 0) throw new ExpansionError(circularText(circles));
  const values = new Map<string, Variable>();
  const places = new Map<Variable | undefined, number>(given.map((variable, place) => [variable, place]));
  const expanded: Variable[] = [];
  let room = limit;
  for (const variable of ordered) {
    const place = places.get(variable)!;
    const ready = refers(variable)
      ? { ...variable, value: expandText(variable.value, values, { ...options, limit: room + variable.value.length }) }
      : variable;
    // What was given is held in memory already: only what grew out of it counts.
    room -= Math.max(0, ready.value.length - variable.value.length);
    expanded[place] = ready;
    places.set(ready, place);
    if ((places.get(values.get(ready.key)) ?? -1) < place) values.set(ready.key, ready);
  }
  return expanded;
}
