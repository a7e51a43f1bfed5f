import { registerArtifacts } from '../../pipelines/artifacts/background.ts';
import { registerPipelines } from '../../pipelines/background.ts';
import { registerTraceArchive } from '../../pipelines/trace/archive.ts';
import type { Area } from '../area.ts';
import { artifactRoutes } from './artifacts/routes.ts';
import { deploymentRoutes } from './deployments/routes.ts';
import { environmentRoutes } from './environments/routes.ts';
import { freezePeriodRoutes } from './freeze-periods/routes.ts';
import { idTokenRoutes } from './id-tokens/routes.ts';
import { jobTokenScopeRoutes } from './job-token-scope/routes.ts';
import { jobActionRoutes } from './jobs/action-routes.ts';
import { pipelineJobRoutes } from './jobs/pipeline-routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { jobTraceRoutes } from './jobs/trace-routes.ts';
import { lintRoutes } from './lint/routes.ts';
import { registerMergeRequestPipelines } from './merge-request-pipelines/background.ts';
import { mergeRequestPipelineRoutes } from './merge-request-pipelines/routes.ts';
import { stopSchedulesOfFormerOwners } from './pipeline-schedules/background.ts';
import { pipelineScheduleRoutes } from './pipeline-schedules/routes.ts';
import { pipelineActionRoutes } from './pipelines/action-routes.ts';
import { pipelineCreateRoutes } from './pipelines/create-routes.ts';
import { pipelineRoutes } from './pipelines/routes.ts';
import { resourceGroupRoutes } from './resource-groups/routes.ts';
import { runnerRegistrationRoutes } from './runner-protocol/registration-routes.ts';
import { jobReportRoutes } from './runner-protocol/report-routes.ts';
import { jobRequestRoutes } from './runner-protocol/request-routes.ts';
import { registerRunners } from './runners/background.ts';
import { runnerRoutes } from './runners/routes.ts';
import { runnerTokenRoutes } from './runners/token-routes.ts';
import { testReportRoutes } from './test-reports/routes.ts';
import { triggerRoutes } from './triggers/routes.ts';
import { triggerStartRoutes } from './triggers/start-routes.ts';
import { variableRoutes } from './variables/routes.ts';

export { rewriteArtifactUrl } from './artifacts/addresses.ts';
export { mayRun } from './run-rights.ts';

/** Pipelines, their jobs, and the runners that do them. */
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
