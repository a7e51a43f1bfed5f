import { planInForce } from '../../../access/plan.ts';
import type { Issue } from '../../../db/tables/issues.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { Context, Outcome, TargetType, Wanted } from './action.ts';
import { MAX_CALLS, parseQuickActions } from './parse.ts';
import { QUICK_ACTIONS } from './table.ts';

/** Names that the quick actions of one text may look up. */
const MAX_LOOKUPS = 200;

/** What quick actions are about. */
export interface ActedOn {
  type: TargetType;
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  sha: string | null;
}

/** A quick action as far as it is decided before anything is written. */
export interface Act {
  name: string;
  message: string | undefined;
  outcome: Outcome;
}

/** A text whose quick actions were read. */
export interface Prepared {
  text: string;
  on: ActedOn;
  acts: Act[];
  /** What they want together; of what the request itself wants only the people. */
  wanted: Wanted;
  labels: ReadonlyMap<number, string>;
}

export interface PrepareOptions {
  /** The text before: what it says already is not done again. */
  original?: string | null;
  /** People that the request itself names. */
  people?: Pick<Wanted, 'assignee_ids' | 'reviewer_ids'>;
  seenHead?: string | undefined;
  inReview?: boolean;
  /** Quick actions that may still act, where several texts are written together. */
  atMost?: number;
}

const isKnown = (name: string): boolean => QUICK_ACTIONS.has(name);

/**
 * Reads the quick actions of a text and finds out what each comes to, without changing anything.
 * @returns null where there is none, and the text has nothing that they stand for
 */
export async function prepare(
  deps: Deps,
  scope: UserScope,
  on: ActedOn,
  text: string,
  { original, people = {}, seenHead, inReview = false, atMost = MAX_CALLS }: PrepareOptions = {},
): Promise<Prepared | null> {
  const parsed = parseQuickActions(text, isKnown);
  if (parsed.text === text && parsed.calls.length === 0) return null;
  const said = new Set(parseQuickActions(original ?? '', isKnown).calls.map((call) => JSON.stringify(call)));
  const c: Context = {
    deps,
    scope,
    ...on,
    plan: await planInForce(deps),
    seenHead,
    inReview,
    wanted: { ...people },
    labels: new Map(),
    lookups: MAX_LOOKUPS,
    rebases: false,
  };
  const acts: Act[] = [];
  const applied = new Set<string>();
  for (const call of parsed.calls.slice(0, atMost)) {
    const action = QUICK_ACTIONS.get(call.name)!;
    // What makes something has no answer that could tell of it.
    const exists = on.type === 'Commit' || on.issue !== null || on.mergeRequest !== null;
    if (said.has(JSON.stringify(call)) || (!exists && action.atCreation !== true)) continue;
    if (!action.on.includes(on.type) || (action.once && applied.has(action.name)) || !(await action.may(c))) {
      acts.push({ name: action.name, message: notApplied(action.name), outcome: {} });
      continue;
    }
    if (action.takes === 'argument' && call.argument === '') continue;
    applied.add(action.name);
    const outcome = (await action.run(c, call.argument)) ?? {};
    Object.assign(c.wanted, outcome.wanted);
    acts.push({ name: action.name, message: outcome.message, outcome });
  }
  if (parsed.dropped > 0 || parsed.calls.length > atMost) {
    const message = `Only the first ${MAX_CALLS} quick actions are applied.`;
    acts.push({ name: '', message, outcome: {} });
  }
  return { text: parsed.text, on, acts, wanted: c.wanted, labels: c.labels };
}

/** What is told of a quick action that cannot be applied, or not by the caller. */
export const notApplied = (name: string): string => `Could not apply ${name} command.`;
