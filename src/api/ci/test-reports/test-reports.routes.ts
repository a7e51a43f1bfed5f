import { type Route, route } from '../../../http/http.route.ts';
import { testSuites } from '../../../pipelines/test-reports/suites.ts';
import { PIPELINE_PATH, params, pipelineReader } from '../pipelines/pipelines.access.ts';
import { findPipeline } from '../pipelines/pipelines.find.ts';
import { TestReport, TestReportSummary } from './test-reports.responses.ts';
import { presentReport, presentSummary } from './test-reports.views.ts';

const description =
  'From what its jobs uploaded as `artifacts:reports:junit`. Jobs that were retried, and those of child pipelines, are left out.';

/** What pipelines know of tests. */
export const testReportRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${PIPELINE_PATH}/test_report`,
    summary: 'Get the tests of a pipeline',
    description,
    access: pipelineReader,
    params,
    expensive: true,
    success: { status: 200, schema: TestReport },
    errors: [503],
    handler: async (c) => {
      const pipeline = await findPipeline(c.deps.db, c.project.id, c.params.pipeline_id);
      const { suites, bytes } = await testSuites(c.deps, pipeline, c.permissions);
      await c.hold(3 * bytes);
      return presentReport(suites);
    },
  }),
  route({
    method: 'GET',
    path: `${PIPELINE_PATH}/test_report_summary`,
    summary: 'Count the tests of a pipeline',
    description,
    access: pipelineReader,
    params,
    expensive: true,
    success: { status: 200, schema: TestReportSummary },
    errors: [503],
    handler: async (c) => {
      const pipeline = await findPipeline(c.deps.db, c.project.id, c.params.pipeline_id);
      return presentSummary((await testSuites(c.deps, pipeline, c.permissions)).suites);
    },
  }),
];
