import { type Route, route } from '../../../http/http.route.ts';
import { testSuites } from '../../../pipelines/test-reports/suites.ts';
import { PIPELINE_PATH, params, pipelineReader } from '../pipelines/pipelines.access.ts';
import { findPipeline } from '../pipelines/pipelines.find.ts';
import { TestReport, TestReportSummary } from './test-reports.responses.ts';
import { presentReport, presentSummary } from './test-reports.views.ts';

const description =
  'Read from the `artifacts:reports:junit` of the jobs. Retried jobs and child pipelines are left out.';

/** Test reports of pipelines. */
export const testReportRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${PIPELINE_PATH}/test_report`,
    summary: 'Get the test report of a pipeline',
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
    summary: 'Get the test report summary of a pipeline',
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
