import { circularText, inOrder } from './expansion.order.ts';
import type { Variable, VariableLookup } from './variable.ts';

/** Why variables cannot be expanded; the text follows the name of the job. */
export class ExpansionError extends Error {
  override name = 'ExpansionError';
}

/** Maximum length of a text, or of all variables of a job, after expansion. */
const MAX_CHARACTERS = 1_048_576;

const REFERENCE = /\$\$|%%|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|%([A-Za-z_]\w*)%/g;

export interface ExpandOptions {
  /** Replacement of undefined variables: empty (default), or unchanged. */
  undefinedAs?: 'empty' | 'kept';
  /** Whether references to file variables are kept, as for jobs. */
  keepFiles?: boolean;
  keepRaw?: boolean;
  /** Maximum length of the result. */
  limit?: number;
}

/** Names referenced in a text (`$A`, `${A}`, `%A%`), in order and without duplicates. */
export function referencesIn(text: string): string[] {
  if (!text.includes('$') && !text.includes('%')) return [];
  const names = new Set<string>();
  for (const [, plain, braced, percent] of text.matchAll(REFERENCE)) {
    const name = plain ?? braced ?? percent;
    if (name !== undefined) names.add(name);
  }
  return [...names];
}

/** Whether the value of a variable is expanded. */
export const refers = ({ raw, value }: Variable): boolean =>
  raw !== true && (value.includes('$') || value.includes('%'));

/**
 * Expands variable references in a text (`$A`, `${A}`, `%A%`) once: references in values are kept. `$$` and `%%` are
 * kept.
 * @throws ExpansionError if the result is too long
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
 * Expands variables among each other, in the order of references. A reference to its own name means the variable of
 * lower precedence. Raw variables are unchanged.
 * @param variables lowest precedence first; names may repeat
 * @returns all of them, in the given order
 * @throws ExpansionError for circular references, and if the result is too long
 */
export function expandVariables(variables: Iterable<Variable>, options: ExpandOptions = {}): Variable[] {
  const { limit = MAX_CHARACTERS } = options;
  const all = [...variables];
  if (!all.some(refers)) return all;
  const { ordered, circles } = inOrder(all, (variable) => (refers(variable) ? referencesIn(variable.value) : []));
  if (circles.length > 0) throw new ExpansionError(circularText(circles));
  const values = new Map<string, Variable>();
  const places = new Map<Variable | undefined, number>(all.map((variable, place) => [variable, place]));
  const expanded: Variable[] = [];
  let room = limit;
  for (const variable of ordered) {
    const place = places.get(variable)!;
    const ready = refers(variable)
      ? { ...variable, value: expandText(variable.value, values, { ...options, limit: room + variable.value.length }) }
      : variable;
    // The input is in memory already: only growth counts.
    room -= Math.max(0, ready.value.length - variable.value.length);
    expanded[place] = ready;
    places.set(ready, place);
    if ((places.get(values.get(ready.key)) ?? -1) < place) values.set(ready.key, ready);
  }
  return expanded;
}
