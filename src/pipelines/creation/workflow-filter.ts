import { LRUCache } from 'lru-cache';
import type { Compiled } from '../../ci/compile-request.ts';
import { holds } from '../../ci/evaluation/evaluation.rules.ts';
import type { Rule } from '../../ci/pipeline-config.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import { prepared } from '../../db/prepared.ts';
import type { Deps } from '../../deps.ts';
import { isProtectedRef } from '../pipelines.run-rights.ts';
import { all, flag } from '../variables/values.ts';
import { configLimits } from './config-limits.ts';

/** What decides by itself whether a push makes a pipeline of a configuration that has been compiled without errors. */
interface WorkflowFilter {
  rules: readonly Pick<Rule, 'if' | 'when'>[];
  /** Names of the variables that it gives itself. */
  written: ReadonlySet<string>;
  /** Those that it was compiled under. */
  limits: string;
}

/** Longer lists, and longer conditions, are looked at each time. */
const MAX_RULES = 20;
const MAX_OF_CONDITIONS = 2_000;
const MAX_FILTERS = 200;

/** By the id of the file. */
const filters = new LRUCache<string, WorkflowFilter>({ max: MAX_FILTERS });

const storedNamed = prepared((db, { project, names }: { project: number; names: readonly string[] }) =>
  db
    .selectFrom('ci_variables')
    .select('id')
    .where((eb) => eb.or([eb('project_id', '=', project), eb('project_id', 'is', null)]))
    .where('key', 'in', names)
    .limit(1),
);

/** A condition speaks of what nobody knows before a pipeline is made. */
class NotKnown extends Error {}

/**
 * Remembers the conditions of `workflow` by which a configuration has made no pipeline, where they are all that it takes to say so
 * of another push: it includes nothing, and its rules look at variables alone.
 * @param oid of its file
 */
export function rememberFilter(
  deps: Pick<Deps, 'settings'>,
  oid: string,
  { config, includes, evaluated }: Compiled,
): void {
  const rules = config?.workflow.rules;
  if (evaluated?.reason !== 'filtered_by_workflow' || !rules || (includes ?? []).length > 0) return;
  const conditions = rules.reduce((sum, rule) => sum + (rule.if?.length ?? 0), 0);
  if (rules.length > MAX_RULES || conditions > MAX_OF_CONDITIONS) return;
  if (rules.some(({ changes, exists }) => changes !== null || exists !== null)) return;
  filters.set(oid, {
    rules: rules.map((rule) => ({ if: rule.if, when: rule.when })),
    written: new Set(config!.variables.map(({ key }) => key)),
    limits: JSON.stringify(configLimits(deps)),
  });
}

/**
 * Whether a configuration that was compiled before surely makes no pipeline of a push to a branch. Its conditions are asked as the making of a
 * pipeline does; where one speaks of anything but the branch, it is not for this to say.
 * @param oid of its file
 */
export async function isFilteredOut(deps: Deps, oid: string, projectId: number, branch: string): Promise<boolean> {
  const filter = filters.get(oid);
  if (filter === undefined || filter.limits !== JSON.stringify(configLimits(deps))) return false;
  const values = pushVariables(branch, await isProtectedRef(deps, projectId, 'branch', branch));
  const names = new Set<string>();
  const get = (name: string): Variable | undefined => {
    names.add(name);
    if (values.has(name)) return values.get(name);
    if (UNSET.test(name)) return undefined;
    throw new NotKnown();
  };
  try {
    const match = filter.rules.find((rule) => rule.if === null || holds(rule.if, { get }));
    if (match !== undefined && match.when !== 'never') return false;
  } catch (error) {
    if (error instanceof NotKnown) return false;
    throw error;
  }
  // Variables of the configuration, and those that are kept, go before what a push says.
  if ([...names].some((name) => filter.written.has(name))) return false;
  return names.size === 0 || (await storedNamed(deps.db, { project: projectId, names: [...names] })).length === 0;
}

/** What no push to a branch has. */
const UNSET = /^CI_(?:COMMIT_TAG|MERGE_REQUEST_\w+)$/;

const pushVariables = (branch: string, isProtected: boolean): Map<string, Variable> =>
  new Map(
    all({
      CI_PIPELINE_SOURCE: 'push',
      CI_COMMIT_REF_NAME: branch,
      CI_COMMIT_BRANCH: branch,
      CI_COMMIT_REF_PROTECTED: flag(isProtected),
    }).map((variable) => [variable.key, variable]),
  );
