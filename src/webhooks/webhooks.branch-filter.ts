import { RE2JS, RE2JSException } from 're2js';
import { EntryCache } from '../core/cache/index.ts';
import { matchesWildcard } from '../core/wildcard.ts';
import type { BranchFilter, WebHook } from '../db/tables/web-hooks.table.ts';

const compiled = new EntryCache<string, { expression: RE2JS | null }>('branch_filters');

/** @returns null for an invalid expression */
function expressionOf(text: string): RE2JS | null {
  const known = compiled.get(text);
  if (known !== undefined) return known.expression;
  let expression: RE2JS | null = null;
  try {
    expression = RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
  }
  compiled.set(text, { expression });
  return expression;
}

/** Whether a branch filter is valid: an RE2 expression, or a branch name with wildcards. */
export function isBranchFilter(strategy: BranchFilter, filter: string): boolean {
  if (strategy === 'regex') return expressionOf(filter) !== null;
  return !/[\0-\x20\x7f~^:?[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/.test(filter);
}

/**
 * Whether a hook is subscribed to pushes to a branch. RE2 runs in linear time; an invalid expression matches nothing.
 */
export function acceptsBranch(
  { branch_filter_strategy, push_events_branch_filter }: WebHook,
  branch: string | null,
): boolean {
  if (branch === null || !push_events_branch_filter || branch_filter_strategy === 'all_branches') return true;
  if (branch_filter_strategy === 'wildcard') return matchesWildcard(push_events_branch_filter, branch);
  return expressionOf(push_events_branch_filter)?.test(branch) ?? false;
}
