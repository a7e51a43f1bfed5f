import { RE2JS, RE2JSException } from 're2js';
import { type Protection, protectionsOf } from '../repositories/repository.protections.ts';

export interface BranchRules {
  onlyProtected: boolean;
  /** RE2 pattern that matches anywhere in the name; null or empty for all branches. */
  regex: string | null;
}

/** Maximum length of a pattern. */
const MAX_PATTERN = 255;

/** Validation errors of a branch pattern; empty if it is valid. */
export function branchPatternErrors(pattern: string | null | undefined): string[] {
  if (!pattern) return [];
  if (pattern.length > MAX_PATTERN) return [`is too long (maximum is ${MAX_PATTERN} characters)`];
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (error) {
    if (error instanceof RE2JSException) return ['is not a valid regular expression'];
    throw error;
  }
}

/** Returns a predicate for the names of mirrored branches. Matching takes linear time. */
export function branchFilter(rules: BranchRules, protections: readonly Protection[]): (name: string) => boolean {
  if (rules.onlyProtected) return (name) => protectionsOf(protections, 'branch', name).length > 0;
  if (!rules.regex) return () => true;
  const expression = RE2JS.compile(rules.regex);
  return (name) => expression.test(name);
}
