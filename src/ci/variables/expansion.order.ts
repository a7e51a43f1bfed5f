import type { Variable } from './variable.ts';

interface Visit {
  variable: Variable;
  needs: Iterator<Variable>;
}

/** Pops the stack up to a variable. */
function close(stack: Variable[], from: Variable): Variable[] {
  let at = stack.length - 1;
  while (stack[at] !== from) at -= 1;
  return stack.splice(at);
}

/**
 * Sorts variables after those they refer to, by Tarjan's algorithm for strongly connected components.
 * @param variables lowest precedence first; a name refers to its last variable, and inside a variable of that name to
 *   the previous one
 * @returns the variables in order, and the names in circles
 */
export function inOrder(
  variables: readonly Variable[],
  referencesOf: (variable: Variable) => readonly string[],
): { ordered: Variable[]; circles: string[][] } {
  const before = new Map<Variable, Variable>();
  const lastBefore = new Map<string, Variable>();
  for (const variable of variables) {
    const lower = lastBefore.get(variable.key);
    if (lower !== undefined) before.set(variable, lower);
    lastBefore.set(variable.key, variable);
  }
  const named = (variable: Variable, name: string) =>
    name === variable.key ? before.get(variable) : lastBefore.get(name);
  const needed = (variable: Variable) =>
    referencesOf(variable)
      .flatMap((name) => named(variable, name) ?? [])
      .values();
  const places = new Map<Variable, { index: number; low: number; open: boolean }>();
  const stack: Variable[] = [];
  const ordered: Variable[] = [];
  const circles: string[][] = [];
  for (const start of variables) {
    if (places.has(start)) continue;
    const visits: Visit[] = [];
    const enter = (variable: Variable) => {
      places.set(variable, { index: places.size, low: places.size, open: true });
      stack.push(variable);
      visits.push({ variable, needs: needed(variable) });
    };
    enter(start);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const place = places.get(visit.variable)!;
      const next = visit.needs.next();
      if (next.done !== true) {
        const known = places.get(next.value);
        if (known === undefined) enter(next.value);
        else if (known.open) place.low = Math.min(place.low, known.index);
        continue;
      }
      visits.pop();
      const above = visits.at(-1);
      if (above !== undefined) {
        const outer = places.get(above.variable)!;
        outer.low = Math.min(outer.low, place.low);
      }
      if (place.low !== place.index) continue;
      const component = close(stack, visit.variable);
      for (const variable of component) places.get(variable)!.open = false;
      if (component.length > 1) circles.push(component.map(({ key }) => key));
      for (const variable of component) ordered.push(variable);
    }
  }
  return { ordered, circles };
}

/** Error text for circles, after the name of the job. */
export function circularText(circles: readonly string[][]): string {
  const lists = circles.map((names) => `[${names.map((name) => JSON.stringify(name)).join(', ')}]`);
  return `circular variable reference detected: ${lists.join(', ')}`;
}
