import type { LabelFacts } from '../../../core/event-facts.ts';
import { labelPayload } from './labels.payload.ts';
import { utcText } from './payloads.times.ts';

/** Old and new values by attribute, as recorded with events. */
export type AttributeChanges = Readonly<Record<string, readonly [unknown, unknown]>>;

/** `changes` of a payload. */
export type PayloadChanges = Record<string, { previous: unknown; current: unknown }>;

const INSTANT = /_at$/;
const STATES: Readonly<Record<string, number>> = { opened: 1, closed: 2, merged: 3, locked: 4 };

/** Numeric id of a state on the platform. */
export const stateId = (state: string): number => STATES[state] ?? 1;

/** Columns with another name in payloads. */
const NAMES: Readonly<Record<string, string>> = {
  time_spent: 'total_time_spent',
  issue_type: 'type',
  auto_merge: 'merge_when_pipeline_succeeds',
};

function valuePayload(name: string, value: unknown): unknown {
  if (value === null) return null;
  if (name === 'labels') return (value as LabelFacts[]).map(labelPayload);
  if (INSTANT.test(name) && typeof value === 'string') return utcText(value);
  return value;
}

/**
 * Renders changes for a payload.
 * @param people renders a user by id: changes of `assignee_ids` and `reviewer_ids` contain users
 */
export function changesPayload(changes: AttributeChanges, people: (id: number) => unknown): PayloadChanges {
  const payload: PayloadChanges = {};
  for (const [name, [previous, current]] of Object.entries(changes)) {
    const list = PEOPLE[name];
    if (list === undefined) {
      payload[NAMES[name] ?? name] = { previous: valuePayload(name, previous), current: valuePayload(name, current) };
    } else {
      const those = (ids: unknown) => (ids as number[]).map(people).filter((one) => one !== undefined);
      payload[list] = { previous: those(previous), current: those(current) };
    }
  }
  return payload;
}

const PEOPLE: Readonly<Record<string, string>> = { assignee_ids: 'assignees', reviewer_ids: 'reviewers' };

/** Returns the ids of all users in changes. */
export function changedPeople(changes: AttributeChanges): number[] {
  return Object.keys(PEOPLE).flatMap((name) => (changes[name] ?? []).flatMap((ids) => ids as number[]));
}

/** Changes of a new object: all its attributes, from null. */
export const creationChanges = (attributes: Readonly<Record<string, unknown>>): AttributeChanges =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, [null, value]]),
  );
