import { registerArtifacts } from '../../pipelines/artifacts/pipeline-artifacts.background.ts';
import { registerPipelines } from '../../pipelines/pipelines.background.ts';
import { registerTraceArchive } from '../../pipelines/trace/trace.archive.ts';
import type { Area } from '../area.ts';
import { artifactRoutes } from './artifacts/artifacts.routes.ts';
import { deploymentRoutes } from './deployments/deployments.routes.ts';
import { environmentRoutes } from './environments/environments.routes.ts';
import { freezePeriodRoutes } from './freeze-periods/freeze-periods.routes.ts';
import { idTokenRoutes } from './id-tokens/id-tokens.routes.ts';
import { jobTokenScopeRoutes } from './job-token-scope/job-token-scope.routes.ts';
import { jobActionRoutes } from './jobs/jobs.action-routes.ts';
import { pipelineJobRoutes } from './jobs/jobs.pipeline-routes.ts';
import { jobRoutes } from './jobs/jobs.routes.ts';
import { jobTraceRoutes } from './jobs/jobs.trace-routes.ts';
import { lintRoutes } from './lint/lint.routes.ts';
import { registerMergeRequestPipelines } from './merge-request-pipelines/merge-request-pipelines.background.ts';
import { mergeRequestPipelineRoutes } from './merge-request-pipelines/merge-request-pipelines.routes.ts';
import { stopSchedulesOfFormerOwners } from './pipeline-schedules/pipeline-schedules.background.ts';
import { pipelineScheduleRoutes } from './pipeline-schedules/pipeline-schedules.routes.ts';
import { pipelineActionRoutes } from './pipelines/pipelines.action-routes.ts';
import { pipelineCreateRoutes } from './pipelines/pipelines.create-routes.ts';
import { pipelineRoutes } from './pipelines/pipelines.routes.ts';
import { resourceGroupRoutes } from './resource-groups/resource-groups.routes.ts';
import { runnerRegistrationRoutes } from './runner-protocol/runner-protocol.registration-routes.ts';
import { jobReportRoutes } from './runner-protocol/runner-protocol.report-routes.ts';
import { jobRequestRoutes } from './runner-protocol/runner-protocol.request-routes.ts';
import { registerRunners } from './runners/runners.background.ts';
import { runnerRoutes } from './runners/runners.routes.ts';
import { runnerTokenRoutes } from './runners/runners.token-routes.ts';
import { testReportRoutes } from './test-reports/test-reports.routes.ts';
import { triggerRoutes } from './triggers/triggers.routes.ts';
import { triggerStartRoutes } from './triggers/triggers.start-routes.ts';
import { variableRoutes } from './variables/variables.routes.ts';

export { rewriteArtifactUrl } from './artifacts/artifacts.addresses.ts';
export { mayRun } from './ci.run-rights.ts';
export { startWithoutRunner } from './runner-protocol/assign-job.ts';

/** Pipelines, jobs and runners. */
export const ci: Area = {
  routes: [
    ...artifactRoutes,
    ...deploymentRoutes,
    ...environmentRoutes,
    ...freezePeriodRoutes,
    ...resourceGroupRoutes,
    ...triggerRoutes,
    ...triggerStartRoutes,
    ...idTokenRoutes,
    ...jobTokenScopeRoutes,
    ...jobActionRoutes,
    ...jobReportRoutes,
    ...jobRequestRoutes,
    ...jobRoutes,
    ...jobTraceRoutes,
    ...mergeRequestPipelineRoutes,
    ...pipelineJobRoutes,
    ...lintRoutes,
    ...pipelineActionRoutes,
    ...pipelineCreateRoutes,
    ...pipelineRoutes,
    ...pipelineScheduleRoutes,
    ...runnerRegistrationRoutes,
    ...runnerRoutes,
    ...runnerTokenRoutes,
    ...testReportRoutes,
    ...variableRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerPipelines(deps);
    registerMergeRequestPipelines(deps);
    registerTraceArchive(deps);
    registerRunners(deps);
    registerArtifacts(deps);
    stopSchedulesOfFormerOwners(deps);
  },
};
