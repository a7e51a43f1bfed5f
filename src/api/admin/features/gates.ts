import { badRequest } from '../../../core/core.errors.ts';
import { truncate } from '../../../core/truncate.ts';

/** For whom a flag is on. */
export interface Gates {
  boolean: boolean;
  percentage_of_time?: number;
  percentage_of_actors?: number;
  groups?: readonly string[];
  actors?: readonly string[];
}

export interface Change {
  value: string;
  key: 'percentage_of_actors' | 'percentage_of_time';
  /** Names of actor groups. */
  groups: readonly string[];
  actors: readonly string[];
}

/** Maximum number of groups and actors of a flag. */
const MAX_NAMED = 1_000;

const added = (old: readonly string[] = [], more: readonly string[]) => [...new Set([...old, ...more])];
const without = (old: readonly string[] = [], less: readonly string[]) => old.filter((each) => !less.includes(each));

/** @throws ApiError 400 for an invalid value */
function percentageOf(value: string): number {
  const number = Number(value);
  if (!/^\d{1,3}$/.test(value) || number > 100) {
    throw badRequest('value must be true, false or a percentage from 0 to 100');
  }
  return number;
}

/** The gates of a flag after a change (public documentation, "Set or create a feature"). @throws ApiError 400 */
export function changed(old: Gates | undefined, { value, key, groups, actors }: Change): Gates {
  const gates: Gates = old ?? { boolean: false };
  const named = groups.length + actors.length > 0;
  if (value !== 'true' && value !== 'false') {
    const percentage = percentageOf(value);
    if (named)
      throw badRequest('percentages apply to everybody: do not name a user, group, namespace, project or repository');
    return { ...gates, [key]: percentage };
  }
  if (!named) return { boolean: value === 'true' };
  const change = value === 'true' ? added : without;
  const result = { ...gates, groups: change(gates.groups, groups), actors: change(gates.actors, actors) };
  if (result.groups.length + result.actors.length > MAX_NAMED)
    throw badRequest(`Limit reached: a feature flag has at most ${MAX_NAMED} actors and groups. Remove some first.`);
  return result;
}

/** A flag as the platform shows it. */
export function present(name: string, gates: Gates) {
  const { boolean, percentage_of_actors, percentage_of_time, groups = [], actors = [] } = gates;
  const some =
    (percentage_of_actors ?? 0) > 0 || (percentage_of_time ?? 0) > 0 || groups.length > 0 || actors.length > 0;
  const full = boolean || percentage_of_actors === 100 || percentage_of_time === 100;
  const state = full ? 'on' : some ? 'conditional' : 'off';
  return {
    name,
    state,
    gates: [
      { key: 'boolean', value: boolean },
      ...(groups.length === 0 ? [] : [{ key: 'groups', value: groups }]),
      ...(actors.length === 0 ? [] : [{ key: 'actors', value: actors }]),
      ...(percentage_of_actors === undefined ? [] : [{ key: 'percentage_of_actors', value: percentage_of_actors }]),
      ...(percentage_of_time === undefined ? [] : [{ key: 'percentage_of_time', value: percentage_of_time }]),
    ],
    definition: null,
  };
}

const MAX_TEXT = 255;

/** The gates as text, cut for an audit event. */
export function gatesText(gates: Gates): string {
  const { gates: shown } = present('', gates);
  const texts = shown.map(({ key, value }) => `${key}: ${Array.isArray(value) ? value.join(', ') : value}`);
  return truncate(texts.join('; '), MAX_TEXT);
}
