import type { TreeMap } from '../config/loaded.ts';
import type { JobConfig } from '../pipeline-config.ts';
import { isMap, must, PRESENT, STRING, STRINGS_OR_STRING } from './checks.keyword.ts';
import { type ConfigNode, own } from './config-node.ts';
import type { Defaults } from './defaults.ts';
import type { WrittenNeed } from './needs.keyword.ts';
import type { Parallel } from './parallel.ts';
import { DEFAULT_ONLY } from './policy.ts';
import { config, exclusive, field, list, type Rule, when } from './reader.ts';
import { isRules, RULES_TEXT, type WrittenRule } from './rules.keyword.ts';
import type { COMMON } from './tables.ts';
import type { KeywordValues } from './words.keyword.ts';

/** A job as written: not multiplied yet, and with unresolved needs. */
export interface WrittenJob extends Omit<JobConfig, 'needs' | 'rules' | 'parallel'> {
  needs: WrittenNeed[] | null;
  rules: WrittenRule[] | null;
  parallel: Parallel | null;
}

/** Context of the configuration for reading a job. */
export interface JobReadContext {
  defaults: Defaults;
  hasWorkflowRules: boolean;
}

/** Keys outside the keyword tables. */
export const COMMON_KEYS = ['extends', 'when', 'resource_group'];

export const hasRules = (value: TreeMap): boolean => Object.hasOwn(value, 'rules');

const NOT_WITH_RULES = ['only', 'except', 'start_in'];

const withoutOthers: Rule = (value, at) => {
  const conflicting = NOT_WITH_RULES.filter((key) => own(value as TreeMap, key) !== null);
  if (conflicting.length > 0) at.config(`key may not be used with \`rules\`: ${list(conflicting)}`);
};

/** Rules for all jobs. */
export const COMMON_RULES: readonly Rule[] = [
  config(PRESENT),
  exclusive('script', 'trigger'),
  when((value) => own(value, 'rules') !== null, withoutOthers),
  field('extends', STRINGS_OR_STRING),
  field('rules', must(isRules, RULES_TEXT)),
  field('resource_group', STRING),
];

const TROUBLESHOOTING =
  'https://docs.gitlab.com/ci/jobs/job_troubleshooting/#job-may-allow-multiple-pipelines-to-run-for-a-single-action';

/**
 * Warns about a final `when` rule, which makes a job run in branch and merge request pipelines if no workflow decides.
 */
function warn(value: TreeMap, at: ConfigNode): void {
  let last = own(value, 'rules');
  while (Array.isArray(last)) last = last.at(-1) ?? null;
  if (!isMap(last) || Object.keys(last).join() !== 'when' || own(last, 'when') === 'never') return;
  at.problems.warnings.push(
    `${at.path} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\` - read more: ${TROUBLESHOOTING}`,
  );
}

/** Keywords of all jobs. */
export function common(
  name: string,
  words: KeywordValues<typeof COMMON>,
  value: TreeMap,
  { hasWorkflowRules }: JobReadContext,
  at: ConfigNode,
) {
  if (!hasWorkflowRules) warn(value, at);
  const decided = hasWorkflowRules || hasRules(value);
  return {
    name,
    stage: words.stage ?? 'test',
    when: (own(value, 'when') ?? 'on_success') as JobConfig['when'],
    rules: words.rules,
    only: words.only ?? (decided ? null : DEFAULT_ONLY),
    except: words.except,
    variables: words.variables ?? [],
    inheritVariables: words.inherit?.variables ?? true,
    environment: words.environment,
    resourceGroup: own(value, 'resource_group') as string | null,
  };
}
