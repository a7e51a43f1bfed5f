import { effectivePlan } from '../../../access/access.plan.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { Context, IssuableUpdate, Outcome, TargetType } from './quick-actions.action.ts';
import { MAX_COMMANDS, parseQuickActions } from './quick-actions.parse.ts';
import { QUICK_ACTIONS } from './quick-actions.table.ts';

/** Names that the quick actions of one text may look up. */
const MAX_LOOKUPS = 200;

/** What quick actions are about. */
export interface ActionTarget {
  type: TargetType;
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  sha: string | null;
}

/** A quick action as far as it is decided before anything is written. */
export interface PreparedAction {
  name: string;
  message: string | undefined;
  outcome: Outcome;
}

/** A text whose quick actions were read. */
export interface Prepared {
  text: string;
  target: ActionTarget;
  actions: PreparedAction[];
  /** What they change together, with what the request itself sets. */
  update: IssuableUpdate;
  labels: ReadonlyMap<number, string>;
}

export interface PrepareOptions {
  /** The text before: quick actions that it has already are not applied again. */
  original?: string | null;
  /** What the request itself sets, as far as quick actions add to it or depend on it. */
  given?: Pick<IssuableUpdate, 'assignee_ids' | 'reviewer_ids' | 'issue_type'>;
  diffHeadSha?: string | undefined;
  inReview?: boolean;
  /** Quick actions that may still be applied, where several texts are written together. */
  maxCommands?: number;
}

const isKnown = (name: string): boolean => QUICK_ACTIONS.has(name);

/**
 * Reads the quick actions of a text and evaluates each of them, without changing anything.
 * @returns null where there is none, and the text has nothing that they stand for
 */
export async function prepare(
  deps: Deps,
  scope: UserScope,
  target: ActionTarget,
  text: string,
  { original, given: input = {}, diffHeadSha, inReview = false, maxCommands = MAX_COMMANDS }: PrepareOptions = {},
): Promise<Prepared | null> {
  const parsed = parseQuickActions(text, isKnown);
  if (parsed.text === text && parsed.commands.length === 0) return null;
  const alreadyPresent = new Set(
    parseQuickActions(original ?? '', isKnown).commands.map((command) => JSON.stringify(command)),
  );
  const c: Context = {
    deps,
    scope,
    ...target,
    plan: await effectivePlan(deps),
    diffHeadSha,
    inReview,
    update: { ...input },
    labels: new Map(),
    lookups: MAX_LOOKUPS,
    rebaseRequested: false,
  };
  const actions: PreparedAction[] = [];
  const applied = new Set<string>();
  for (const command of parsed.commands.slice(0, maxCommands)) {
    const action = QUICK_ACTIONS.get(command.name)!;
    // The answer of a creation has no summary.
    const exists = target.type === 'Commit' || target.issue !== null || target.mergeRequest !== null;
    if (alreadyPresent.has(JSON.stringify(command)) || (!exists && action.atCreation !== true)) continue;
    if (!action.on.includes(target.type) || (action.once && applied.has(action.name)) || !(await action.may(c))) {
      actions.push({ name: action.name, message: notApplied(action.name), outcome: {} });
      continue;
    }
    if (action.requiresArgument && command.argument === '') continue;
    applied.add(action.name);
    const outcome = (await action.evaluate(c, command.argument)) ?? {};
    Object.assign(c.update, outcome.update);
    actions.push({ name: action.name, message: outcome.message, outcome });
  }
  if (parsed.dropped > 0 || parsed.commands.length > maxCommands) {
    const message = `Only the first ${MAX_COMMANDS} quick actions are applied.`;
    actions.push({ name: '', message, outcome: {} });
  }
  return { text: parsed.text, target, actions, update: c.update, labels: c.labels };
}

/** The message of a quick action that cannot be applied, or not by the caller. */
export const notApplied = (name: string): string => `Could not apply ${name} command.`;
