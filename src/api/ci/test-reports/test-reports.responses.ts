import { Type } from 'typebox';
import { CASE_STATES } from '../../../ci/junit/junit.parse.ts';
import { Enum, Nullable } from '../../../http/http.schema.ts';

const counts = {
  total_time: Type.Number({ description: 'Total duration of the tests in seconds.', examples: [4.75] }),
  total_count: Type.Integer({ description: 'Tests.', examples: [42] }),
  success_count: Type.Integer({ description: 'Number of successful tests.', examples: [40] }),
  failed_count: Type.Integer({ description: 'Number of failed tests.', examples: [1] }),
  skipped_count: Type.Integer({ description: 'Number of skipped tests.', examples: [1] }),
  error_count: Type.Integer({ description: 'Number of tests with errors.', examples: [0] }),
};
const suite_error = Nullable(
  Type.String({ description: 'Why a report cannot be parsed; its tests are not counted.', examples: [null] }),
);
const name = Type.String({ description: 'Name of the jobs.', examples: ['rspec'] });

export const TestReportCase = Type.Object({
  status: Enum(CASE_STATES),
  name: Nullable(Type.String({ examples: ['adds numbers'] })),
  classname: Nullable(Type.String({ description: 'Class or group of the test.', examples: ['calculator'] })),
  file: Nullable(Type.String({ description: 'File of the test.', examples: ['test/calculator.js'] })),
  execution_time: Type.Number({ description: 'Seconds.', examples: [0.25] }),
  system_output: Nullable(
    Type.String({ description: 'Output of a failed or skipped test.', examples: ['expected 4, got 5'] }),
  ),
  stack_trace: Type.Null({ description: 'Always null: stack traces are part of the output.' }),
  recent_failures: Type.Null({ description: 'Always null: failures in other pipelines are not counted.' }),
});

/** Test report of a pipeline. */
export const TestReport = Type.Object({
  ...counts,
  test_suites: Type.Array(
    Type.Object({
      name,
      ...counts,
      suite_error,
      test_cases: Type.Array(TestReportCase, {
        description: 'Errors and failures first, then by duration, longest first.',
      }),
    }),
    { description: 'One suite per job name; `parallel` jobs share a suite.' },
  ),
});

/** Test report of a pipeline, as totals. */
export const TestReportSummary = Type.Object({
  total: Type.Object(
    {
      time: counts.total_time,
      count: counts.total_count,
      success: counts.success_count,
      failed: counts.failed_count,
      skipped: counts.skipped_count,
      error: counts.error_count,
      suite_error,
    },
    { description: 'Totals of all suites.' },
  ),
  test_suites: Type.Array(
    Type.Object({
      name,
      ...counts,
      build_ids: Type.Array(Type.Integer(), { description: 'Ids of the jobs.', examples: [[42]] }),
      suite_error,
    }),
    { description: 'One suite per job name; `parallel` jobs share a suite.' },
  ),
});
