import type { ProjectPermissions } from '../../access/permissions.ts';
import { CASE_STATES, type CaseState, type TestCase } from '../../ci/junit/junit.parse.ts';
import { groupName } from '../../ci/slugs.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { isAvailable, mayRead } from '../artifacts/pipeline-artifacts.read.ts';
import { memoryOf } from './junit-reports.ts';

/** Test cases of the jobs with the same name. */
export interface TestSuite {
  name: string;
  buildIds: number[];
  /** Error of an unreadable report, whose tests are not counted. */
  error: string | null;
  /** Distinct test cases by result, longest first. */
  cases: Readonly<Record<CaseState, readonly TestCase[]>>;
}

/** Maximum number and memory of the test cases of a pipeline. */
const MAX_CASES = 200_000;
const MAX_BYTES = 100 * 1024 * 1024;
const TOO_MANY = 'the pipeline has too many tests to display';

/** Jobs of a numeric `parallel` count as one; those of a matrix do not. */
const suiteName = (job: string): string => (job.endsWith(']') ? job : groupName(job));

interface Gathered {
  buildIds: number[];
  error: string | null;
  cases: Record<CaseState, Map<string, TestCase>>;
}

/**
 * Test suites of a pipeline, without retried jobs and child pipelines.
 * @param permissions of the caller: reports that they may not read are omitted
 * @returns suites in the order of jobs, with their approximate memory in bytes
 */
export async function testSuites(
  deps: Deps,
  pipeline: Pipeline,
  permissions: ProjectPermissions,
): Promise<{ suites: TestSuite[]; bytes: number }> {
  const suitesByName = new Map<string, Gathered>();
  let [count, bytes] = [0, 0];
  for (const { name, job_id, size, sha256 } of await reportsOf(deps, pipeline, permissions)) {
    const suite = suitesByName.get(suiteName(name)) ?? newSuite();
    suitesByName.set(suiteName(name), suite);
    suite.buildIds.push(job_id);
    const isFull = count >= MAX_CASES || bytes >= MAX_BYTES;
    const { cases, error } = isFull ? { cases: [], error: TOO_MANY } : await deps.junit.read({ sha256, size });
    suite.error ??= error;
    count += cases.length;
    for (const each of cases) {
      bytes += memoryOf(each);
      suite.cases[each.status].set(JSON.stringify([each.suite, each.classname, each.name]), each);
    }
  }
  return { suites: [...suitesByName].map(([name, suite]) => sorted(name, suite)), bytes };
}

const newSuite = (): Gathered => ({
  buildIds: [],
  error: null,
  cases: { error: new Map(), failed: new Map(), success: new Map(), skipped: new Map() },
});

function sorted(name: string, { buildIds, error, cases }: Gathered): TestSuite {
  const lists = CASE_STATES.map((state) => {
    const list = error === null ? [...cases[state].values()] : [];
    return [state, list.sort((a, b) => b.execution_time - a.execution_time)] as const;
  });
  return { name, buildIds, error, cases: Object.fromEntries(lists) as Record<CaseState, TestCase[]> };
}

async function reportsOf(deps: Deps, pipeline: Pipeline, permissions: ProjectPermissions) {
  const rows = await deps.db
    .selectFrom('ci_jobs')
    .innerJoin('ci_job_artifacts', 'ci_job_artifacts.job_id', 'ci_jobs.id')
    .selectAll('ci_job_artifacts')
    .select('ci_jobs.name')
    .where('ci_jobs.pipeline_id', '=', pipeline.id)
    .where('ci_jobs.retried', '=', 0)
    .where('file_type', '=', 'junit')
    .orderBy('ci_jobs.id')
    .execute();
  return rows.filter(
    (row) => mayRead(permissions, row) && isAvailable(deps.clock, { ...row, locked: pipeline.locked }),
  );
}
