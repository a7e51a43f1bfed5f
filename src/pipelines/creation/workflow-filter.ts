import type { Compiled } from '../../ci/compile-request.ts';
import { isTrue } from '../../ci/evaluation/evaluation.rules.ts';
import type { Rule } from '../../ci/pipeline-config.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import { EntryCache } from '../../core/cache/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Deps } from '../../deps.ts';
import { isProtectedRef } from '../pipelines.run-rights.ts';
import { flag, publicVariables } from '../variables/values.ts';
import { configLimits } from './config-limits.ts';

/** Part of a valid configuration that alone decides whether a push creates a pipeline. */
interface WorkflowFilter {
  rules: readonly Pick<Rule, 'if' | 'when'>[];
  /** Names of the variables that it defines. */
  written: ReadonlySet<string>;
  /** Limits under which it was compiled. */
  limits: string;
}

/** Maximum number of rules and maximum length of conditions; others are evaluated each time. */
const MAX_RULES = 20;
const MAX_OF_CONDITIONS = 2_000;

/** By blob id. */
const filters = new EntryCache<string, WorkflowFilter>('workflow_filters');

const storedNamed = prepared((db, { project, names }: { project: number; names: readonly string[] }) =>
  db
    .selectFrom('ci_variables')
    .select('id')
    .where((eb) => eb.or([eb('project_id', '=', project), eb('project_id', 'is', null)]))
    .where('key', 'in', names)
    .limit(1),
);

/** A condition uses a value that is unknown before the pipeline is created. */
class NotKnown extends Error {}

/**
 * Caches the `workflow` conditions by which a configuration has created no pipeline, if they are sufficient to decide
 * about another push: no includes, and rules on variables only.
 * @param oid of the file
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
 * Whether a previously compiled configuration certainly creates no pipeline for a push to a branch. Evaluates its
 * conditions as pipeline creation does; undecided if a condition uses anything but the branch.
 * @param oid of the file
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
    const match = filter.rules.find((rule) => rule.if === null || isTrue(rule.if, { get }));
    if (match !== undefined && match.when !== 'never') return false;
  } catch (error) {
    if (error instanceof NotKnown) return false;
    throw error;
  }
  // Variables of the configuration and stored variables override those of the push.
  if ([...names].some((name) => filter.written.has(name))) return false;
  return names.size === 0 || (await storedNamed(deps.db, { project: projectId, names: [...names] })).length === 0;
}

/** Variables that no branch push has. */
const UNSET = /^CI_(?:COMMIT_TAG|MERGE_REQUEST_\w+)$/;

const pushVariables = (branch: string, isProtected: boolean): Map<string, Variable> =>
  new Map(
    publicVariables({
      CI_PIPELINE_SOURCE: 'push',
      CI_COMMIT_REF_NAME: branch,
      CI_COMMIT_BRANCH: branch,
      CI_COMMIT_REF_PROTECTED: flag(isProtected),
    }).map((variable) => [variable.key, variable]),
  );
