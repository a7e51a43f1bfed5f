import type { Static } from 'typebox';
import { CASE_STATES, type TestCase } from '../../../ci/junit/junit.parse.ts';
import type { TestSuite } from '../../../pipelines/test-reports/suites.ts';
import type { TestReport, TestReportCase, TestReportSummary } from './test-reports.responses.ts';

interface Counts {
  total_time: number;
  total_count: number;
  success_count: number;
  failed_count: number;
  skipped_count: number;
  error_count: number;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function countsOf({ cases }: TestSuite): Counts {
  const lists = CASE_STATES.map((state) => cases[state]);
  return {
    // Rounds to microseconds, since sums of decimal fractions are inexact.
    total_time: Math.round(sum(lists.flatMap((list) => list.map((each) => each.execution_time))) * 1e6) / 1e6,
    total_count: sum(lists.map((list) => list.length)),
    success_count: cases.success.length,
    failed_count: cases.failed.length,
    skipped_count: cases.skipped.length,
    error_count: cases.error.length,
  };
}

function together(all: readonly Counts[]): Counts {
  const total = (name: keyof Counts) => sum(all.map((counts) => counts[name]));
  return {
    total_time: Math.round(total('total_time') * 1e6) / 1e6,
    total_count: total('total_count'),
    success_count: total('success_count'),
    failed_count: total('failed_count'),
    skipped_count: total('skipped_count'),
    error_count: total('error_count'),
  };
}

const presentCase = ({ suite: _suite, ...test }: TestCase): Static<typeof TestReportCase> => ({
  ...test,
  stack_trace: null,
  recent_failures: null,
});

/** Renders the test report of a pipeline. */
export function presentReport(suites: readonly TestSuite[]): Static<typeof TestReport> {
  const shown = suites.map((suite) => ({
    name: suite.name,
    ...countsOf(suite),
    suite_error: suite.error,
    test_cases: CASE_STATES.flatMap((state) => suite.cases[state].map(presentCase)),
  }));
  return { ...together(shown), test_suites: shown };
}

/** Renders the totals of the test report of a pipeline. */
export function presentSummary(suites: readonly TestSuite[]): Static<typeof TestReportSummary> {
  const shown = suites.map((suite) => ({
    name: suite.name,
    ...countsOf(suite),
    build_ids: suite.buildIds,
    suite_error: suite.error,
  }));
  const total = together(shown);
  return {
    total: {
      time: total.total_time,
      count: total.total_count,
      success: total.success_count,
      failed: total.failed_count,
      skipped: total.skipped_count,
      error: total.error_count,
      suite_error: null,
    },
    test_suites: shown,
  };
}
