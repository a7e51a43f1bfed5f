import { effectivePlan } from '../../../access/access.plan.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { Context, IssuableUpdate, Outcome, TargetType } from './quick-actions.action.ts';
import { MAX_COMMANDS, parseQuickActions } from './quick-actions.parse.ts';
import { QUICK_ACTIONS } from './quick-actions.table.ts';

/** Maximum number of look-ups by the quick actions of a text. */
const MAX_LOOKUPS = 200;

/** The target of quick actions. */
export interface ActionTarget {
  type: TargetType;
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  sha: string | null;
}

/** A quick action, evaluated before anything is written. */
export interface PreparedAction {
  name: string;
  message: string | undefined;
  outcome: Outcome;
}

/** A text with evaluated quick actions. */
export interface Prepared {
  text: string;
  target: ActionTarget;
  actions: PreparedAction[];
  /** Merged update of all quick actions, including attributes of the request itself. */
  update: IssuableUpdate;
  labels: ReadonlyMap<number, string>;
}

export interface PrepareOptions {
  /** The previous text: quick actions that it contains are not applied again. */
  original?: string | null;
  /** Attributes of the request itself that quick actions extend or depend on. */
  attributes?: Pick<IssuableUpdate, 'assignee_ids' | 'reviewer_ids' | 'issue_type'>;
  diffHeadSha?: string | undefined;
  inReview?: boolean;
  /** Remaining number of quick actions, if several texts are written together. */
  maxCommands?: number;
}

const isKnown = (name: string): boolean => QUICK_ACTIONS.has(name);

/**
 * Parses and evaluates the quick actions of a text, without changes.
 * @returns null if there are none and the text has no substitutions
 */
export async function prepare(
  deps: Deps,
  scope: UserScope,
  target: ActionTarget,
  text: string,
  { original, attributes: input = {}, diffHeadSha, inReview = false, maxCommands = MAX_COMMANDS }: PrepareOptions = {},
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
    // Responses to a creation have no summary.
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

/** The message for a quick action that cannot be applied, or not by the caller. */
export const notApplied = (name: string): string => `Could not apply ${name} command.`;
