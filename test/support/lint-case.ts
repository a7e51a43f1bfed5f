import assert from 'node:assert/strict';
import { compile } from '../../src/ci/compile.ts';
import type { CompileRequest, PipelineContext } from '../../src/ci/compile-request.ts';
import type { Include } from '../../src/ci/config/loaded.ts';
import { type Variable, variableValues } from '../../src/ci/variables/variable.ts';
import { MemorySources, PROJECT, SHA, type World } from './memory-sources.ts';

type Variables = Readonly<Record<string, string | Omit<Variable, 'key'>>>;

/** What a case of `test/fixtures/lint/` is given; its README says more. */
interface Given extends World {
  variables?: Variables;
  inputs?: Readonly<Record<string, unknown>>;
  child?: boolean;
  /** A pipeline that the configuration is evaluated for; without it it is looked at alone. */
  pipeline?: Partial<Omit<PipelineContext, 'predefined' | 'stored' | 'given'>> & {
    predefined?: Variables;
    stored?: Variables;
    given?: Variables;
  };
}

interface Expected {
  errors?: string[];
  warnings?: string[];
  merged_yaml?: string | string[] | null;
  includes?: Partial<Include>[] | null;
  stages?: string[];
  /** Of the evaluated pipeline. */
  name?: string | null;
  reason?: string | null;
  jobs?: (string | Record<string, unknown>)[];
}

export interface LintCase {
  given?: Given;
  expect: Expected;
}

const GIVEN = new Set(
  'files projects remote templates components artifacts changed variables inputs child pipeline'.split(' '),
);
const EXPECTED = new Set('errors warnings merged_yaml includes stages name reason jobs'.split(' '));

function variables(given: Variables = {}): Variable[] {
  return Object.entries(given).map(([key, value]) => ({ key, ...(typeof value === 'string' ? { value } : value) }));
}

function request(content: string, given: Given): CompileRequest {
  const { pipeline } = given;
  return {
    content,
    path: '.gitlab-ci.yml',
    context: { project: PROJECT, sha: SHA },
    sources: new MemorySources(given),
    variables: variableValues(variables(given.variables)),
    inputs: given.inputs ?? {},
    isChild: given.child ?? false,
    pipeline:
      pipeline === undefined
        ? null
        : {
            source: 'push',
            ref: 'main',
            refType: 'branch',
            projectPath: PROJECT,
            maxNeeds: 50,
            ...pipeline,
            predefined: variables(pipeline.predefined),
            stored: variables(pipeline.stored).map((variable) => ({ ...variable, environmentScope: '*' })),
            pipelineVariables: variables(pipeline.given),
          },
  };
}

/** Whether all that is expected is there: of an object the keys that are named, of a list each entry. */
function holds(actual: unknown, expected: unknown, at: string): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${at} is a list`);
    assert.equal(actual.length, expected.length, `${at} has ${expected.length} entries: ${JSON.stringify(actual)}`);
    expected.forEach((each, place) => {
      holds(actual[place], each, `${at}[${place}]`);
    });
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${at} is an object: ${JSON.stringify(actual)}`);
    for (const [key, each] of Object.entries(expected))
      holds((actual as Record<string, unknown>)[key], each, `${at}.${key}`);
  } else assert.deepEqual(actual, expected, at);
}

/** Compiles a case and compares what comes with what it expects. */
export async function checkLintCase(content: string, { given = {}, expect }: LintCase): Promise<void> {
  for (const key of Object.keys(given)) assert.ok(GIVEN.has(key), `given.${key} means nothing`);
  for (const key of Object.keys(expect)) assert.ok(EXPECTED.has(key), `expect.${key} means nothing`);
  const compiled = await compile(request(content, given));
  assert.deepEqual(compiled.errors, expect.errors ?? [], 'errors');
  assert.deepEqual(compiled.warnings, expect.warnings ?? [], 'warnings');
  if (expect.merged_yaml !== undefined) {
    const { merged_yaml } = expect;
    const text = Array.isArray(merged_yaml) ? `${merged_yaml.join('\n')}\n` : merged_yaml;
    assert.equal(compiled.mergedYaml, text, 'merged_yaml');
  }
  if (expect.includes !== undefined) holds(compiled.includes, expect.includes, 'includes');
  if (expect.stages !== undefined) assert.deepEqual(compiled.config?.stages, expect.stages, 'stages');
  if (expect.name !== undefined) assert.equal(compiled.evaluated?.seed?.name, expect.name, 'name');
  if (expect.reason !== undefined) assert.equal(compiled.evaluated?.reason ?? null, expect.reason, 'reason');
  if (expect.jobs !== undefined) {
    const jobs = given.pipeline === undefined ? compiled.config?.jobs : compiled.evaluated?.seed?.jobs;
    const expected = expect.jobs.map((job) => (typeof job === 'string' ? { name: job } : job));
    // Plain data: what has no prototype compares with what has.
    holds(structuredClone(jobs ?? []), expected, 'jobs');
  }
}
