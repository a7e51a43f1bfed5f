import type { AppliedChange } from '../ledger.ts';
import { pushEvents } from '../records.ts';
import type { Site, World } from '../world.ts';
import { inspect } from './git.ts';

const key = (changes: readonly AppliedChange[]): string =>
  changes
    .map((change) => `${change.ref} ${change.old} ${change.new}`)
    .sort()
    .join('\n');

/** What is in one list more often than in the other. */
function surplus(left: readonly string[], right: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const each of right) counts.set(each, (counts.get(each) ?? 0) + 1);
  return left.filter((each) => {
    const count = counts.get(each) ?? 0;
    counts.set(each, count - 1);
    return count <= 0;
  });
}

/** The steps of each ref must follow one another, from its creation to where it is now. */
export function brokenChains(events: readonly AppliedChange[][], refs: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const now = new Map<string, string | null>();
  for (const { ref, old, new: next } of events.flat()) {
    if ((now.get(ref) ?? null) !== old) problems.push(`events of ${ref} jump from ${now.get(ref)} to ${old}`);
    now.set(ref, next);
  }
  for (const [ref, oid] of now) {
    if ((refs.get(ref) ?? null) !== oid) problems.push(`events leave ${ref} at ${oid}, but it is ${refs.get(ref)}`);
  }
  return problems;
}

/** Each change that took place has one event, no event tells of anything else, and the objects it names exist. */
export async function compareEvents(world: World, site: Site, refs: ReadonlyMap<string, string>): Promise<string[]> {
  const events = await pushEvents(world.records, site.id);
  const expected = site.ledger.applied.map(key);
  const actual = events.map(key);
  const problems = [
    ...surplus(expected, actual).map((each) => `without event: ${each}`),
    ...surplus(actual, expected).map((each) => `event of what never happened, or a second one: ${each}`),
    ...brokenChains(events, refs),
  ];
  const oids = [...new Set(events.flat().flatMap((change) => change.new ?? []))];
  const { text } = await inspect(site.dir, ['cat-file', '--batch-check'], `${oids.join('\n')}\n`);
  const missing = text.split('\n').filter((line) => line.endsWith(' missing'));
  return [...problems, ...missing.map((line) => `an event names an object that is not there: ${line}`)];
}
