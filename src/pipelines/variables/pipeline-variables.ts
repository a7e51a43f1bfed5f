import type { Variable } from '../../ci/variables/variable.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { commitVariables } from './commit-variables.ts';
import { isFrozenAt } from './freeze.ts';
import { mergeRequestVariables, openMergeRequests } from './merge-request-variables.ts';
import type { PipelineFacts } from './pipeline-variables.facts.ts';
import { projectVariables } from './project-variables.ts';
import { serverVariables } from './server-variables.ts';
import { instant, publicVariables } from './values.ts';

/**
 * Predefined variables known before the pipeline exists, for `include`, `rules` and `workflow`.
 * @param db the handle of a transaction, if there is one
 */
export async function predefinedVariables(deps: Deps, facts: PipelineFacts, db: Db = deps.db): Promise<Variable[]> {
  const { upstream } = facts;
  return [
    ...(await serverVariables(deps, db)),
    ...(await projectVariables(deps, db, facts.project, facts.namespace)),
    ...publicVariables({
      CI_PIPELINE_IID: facts.iid,
      CI_PIPELINE_SOURCE: facts.source,
      CI_PIPELINE_CREATED_AT: instant(facts.createdAt),
      CI_PIPELINE_NAME: facts.name,
      CI_PIPELINE_SCHEDULE_DESCRIPTION: facts.scheduleDescription,
    }),
    ...(await commitVariables(deps, facts)),
    ...(await mergeRequestVariables(deps, db, facts)),
    ...(await openMergeRequests(db, facts)),
    ...publicVariables({
      CI_UPSTREAM_PIPELINE_ID: upstream?.pipelineId,
      CI_UPSTREAM_PROJECT_ID: upstream?.projectId,
      CI_UPSTREAM_JOB_ID: upstream?.jobId,
      CI_DEPLOY_FREEZE: (await isFrozenAt(db, facts.project.id, deps.clock.now())) ? 'true' : null,
    }),
  ];
}
