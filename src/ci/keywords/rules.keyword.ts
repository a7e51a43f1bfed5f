import { parseDuration } from '../ci.durations.ts';
import type { Tree } from '../config/loaded.ts';
import type { Rule as ConfigRule } from '../pipeline-config.ts';
import { autoCancel } from './auto-cancel.keyword.ts';
import { BOOLEAN, DURATION, durationUpTo, isMap, PRESENT, shown } from './checks.keyword.ts';
import { flat, isNested } from './commands.keyword.ts';
import { own } from './config-node.ts';
import { needs, type WrittenNeed } from './needs.keyword.ts';
import { anyEntry, config, entry, field, keys, type Reader, type Rule, readEach, required } from './reader.ts';
import { changes, EXPRESSION, exists } from './rule-clauses.ts';
import { plainVariables } from './variables.keyword.ts';

const jobNeeds = needs('job');

/** Maximum delay of a job. */
export const MAX_DELAY_SECONDS = 7 * 24 * 60 * 60;

/** A rule with needs that are not resolved for parallel jobs yet. */
export interface WrittenRule extends ConfigRule {
  needs: WrittenNeed[] | null;
}

export const RULES_TEXT = 'should be an array containing hashes and arrays of hashes';
const seen = new WeakSet<object>();

/** Whether a value has the form of `rules`; a value shared by many jobs is checked once. */
export function isRules(value: Tree): value is Tree[] {
  if (!Array.isArray(value)) return false;
  if (!seen.has(value) && isNested(value, isMap)) seen.add(value);
  return seen.has(value);
}

/** @param allowed allowed values of `when`, and keys, of rules at this place */
function rule(allowed: { when: readonly string[]; keys: readonly string[] }): Reader<WrittenRule> {
  const delayed = (value: Tree) => isMap(value) && own(value, 'when') === 'delayed';
  const startIn: Rule = (value, at) => {
    if (delayed(value)) required('start_in', DURATION, durationUpTo(MAX_DELAY_SECONDS))(value, at);
    else if (isMap(value) && Object.hasOwn(value, 'start_in')) at.config('contains disallowed keys: start_in');
  };
  const known: Rule = field('when', (value) =>
    typeof value === 'string' && allowed.when.includes(value) ? null : `unknown value: ${shown(value)}`,
  );
  return entry(
    [
      config(PRESENT),
      startIn,
      field('if', EXPRESSION),
      field('allow_failure', BOOLEAN),
      field('interruptible', BOOLEAN),
      known,
      keys(...allowed.keys),
    ],
    (value, at) => ({
      if: own(value, 'if') as string | null,
      changes: at.read(value, 'changes', changes),
      exists: at.read(value, 'exists', exists),
      when: own(value, 'when') as ConfigRule['when'],
      startIn: delayed(value) ? parseDuration(own(value, 'start_in') as string) : null,
      allowFailure: own(value, 'allow_failure') as boolean | null,
      variables: at.read(value, 'variables', plainVariables) ?? [],
      needs: at.read(value, 'needs', jobNeeds)?.jobs ?? null,
      interruptible: own(value, 'interruptible') as boolean | null,
      autoCancel: at.read(value, 'auto_cancel', autoCancel),
    }),
  );
}

/** `rules`, with nested `!reference` results flattened. */
function rules(each: Reader<WrittenRule>): Reader<WrittenRule[]> {
  return anyEntry([config(PRESENT), config((value) => (isRules(value) ? null : RULES_TEXT))], (value, at) =>
    readEach(flat(value as Tree[]), each, at.child('rule')),
  );
}

export const jobRules = rules(
  rule({
    when: ['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed'],
    keys: ['if', 'changes', 'exists', 'when', 'start_in', 'allow_failure', 'variables', 'needs', 'interruptible'],
  }),
);

export const workflowRules = rules(
  rule({ when: ['always', 'never'], keys: ['if', 'changes', 'exists', 'when', 'variables', 'auto_cancel'] }),
);
