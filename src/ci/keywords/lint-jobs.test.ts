import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { JobSeed } from '../job-seed.ts';
import { seededLintJobs, writtenLintJobs } from './lint-jobs.ts';
import { readConfig } from './read-config.ts';

const jobs = (text: string) => {
  const { config, errors } = readConfig(parse(text));
  assert.deepEqual(errors, []);
  return writtenLintJobs(config!);
};

test('lint shows what is written of a job', () => {
  assert.deepEqual(jobs('{ default: { before_script: [a], tags: [t] }, test: { script: b, after_script: c } }'), [
    {
      name: 'test',
      stage: 'test',
      before_script: ['a'],
      script: ['b'],
      after_script: ['c'],
      tag_list: ['t'],
      environment: null,
      when: 'on_success',
      allow_failure: false,
      only: { refs: ['branches', 'tags'] },
      except: null,
      needs: null,
    },
  ]);
});

test('lint shows jobs stage by stage, and names of environments and needs', () => {
  const found = jobs(`
deploy: { stage: deploy, script: x, environment: { name: production, url: https://example.com }, when: manual, rules: [{ if: $A }] }
test: { script: x, needs: [{ job: build, artifacts: false, optional: true }], except: { changes: ['*.md'] }, only: [main] }
build: { stage: build, script: x, allow_failure: { exit_codes: 3 } }
`);
  assert.deepEqual(
    found.map(({ name }) => name),
    ['build', 'test', 'deploy'],
  );
  const [build, test, deploy] = found;
  assert.equal(build?.allow_failure, false);
  assert.deepEqual(test?.needs, [{ name: 'build', artifacts: false, optional: true }]);
  assert.deepEqual([test?.only, test?.except], [{ refs: ['main'] }, { changes: ['*.md'] }]);
  assert.deepEqual(
    [deploy?.environment, deploy?.when, deploy?.allow_failure, deploy?.only],
    ['production', 'manual', true, null],
  );
});

test('of a pipeline that would be, lint shows nothing of when its jobs are left out', () => {
  const { config } = readConfig({ a: { script: 'x' }, b: { stage: 'build', script: 'y' } });
  const seeds = config!.jobs.map(
    (job): JobSeed => ({
      ...job,
      stageIndex: config!.stages.indexOf(job.stage),
      when: 'on_success',
      allowFailure: job.name === 'b',
    }),
  );
  const found = seededLintJobs({
    name: null,
    autoCancel: { onNewCommit: null, onJobFailure: null },
    stages: config!.stages,
    jobs: seeds,
  });
  assert.deepEqual(
    found.map(({ name, allow_failure }) => [name, allow_failure]),
    [
      ['b', true],
      ['a', false],
    ],
  );
  assert.deepEqual(Object.keys(found[0]!).sort(), [
    'after_script',
    'allow_failure',
    'before_script',
    'environment',
    'name',
    'script',
    'stage',
    'tag_list',
    'when',
  ]);
});
