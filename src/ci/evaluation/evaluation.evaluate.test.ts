import assert from 'node:assert/strict';
import { test } from 'node:test';
import { config, job, options, rule, variables } from '../../../test/support/ci-config.ts';
import { type Around, has, only, policy, run, seeds, valueIn } from '../../../test/support/ci-evaluation.ts';

test('a job without conditions is in pipelines of branches and tags', async () => {
  assert.equal(await has({}), true);
  assert.equal(await has({}, { context: { refType: 'tag' } }), true);
  assert.equal(await has({}, { context: { refType: 'merge_request', source: 'merge_request_event' } }), false);
});

test('workflow rules take the default of only away', async () => {
  const around: Around = {
    context: { refType: 'merge_request', source: 'merge_request_event' },
    config: { workflow: { ...config([]).workflow, rules: [rule()] } },
  };
  assert.equal(await has({}, around), true);
  assert.equal(await has({ only: policy({ refs: ['branches'] }) }, around), false);
});

test('the first rule that matches decides', async () => {
  const rules = [
    rule({ if: '$A == "1"', when: 'manual' }),
    rule({ if: '$A == "2"', when: 'never' }),
    rule({ if: '$A == "3"', when: 'delayed', startIn: 60, allowFailure: true, interruptible: true }),
    rule({
      if: '$A == "4"',
      allowFailure: { exitCodes: [3] },
      needs: [{ job: 'first', artifacts: true, optional: false }],
    }),
  ];
  const all = [
    job('first', { stage: 'build' }),
    job('asked', { rules, options: options({ allowFailureExitCodes: [9] }) }),
  ];
  const asked = async (value: string) =>
    (await seeds(all, { config: { variables: variables({ A: value }) } })).find(({ name }) => name === 'asked');
  assert.equal((await asked('1'))?.when, 'manual');
  assert.equal((await asked('1'))?.allowFailure, false);
  assert.deepEqual((await asked('1'))?.options.allowFailureExitCodes, [9]);
  assert.equal(await asked('2'), undefined);
  const third = await asked('3');
  assert.equal(third?.when, 'delayed');
  assert.equal(third?.startIn, 60);
  assert.equal(third?.allowFailure, true);
  assert.equal(third?.interruptible, true);
  assert.equal(third?.options.allowFailureExitCodes, null);
  const fourth = await asked('4');
  assert.equal(fourth?.allowFailure, false);
  assert.deepEqual(fourth?.options.allowFailureExitCodes, [3]);
  assert.deepEqual(fourth?.needs, [{ job: 'first', artifacts: true, optional: false }]);
  assert.equal(await asked('5'), undefined);
});

test('a rule without when takes that of the job', async () => {
  assert.equal((await only({ when: 'manual', rules: [rule()] })).when, 'manual');
  assert.equal((await only({ when: 'manual', rules: [rule()] })).allowFailure, true);
  assert.equal((await only({ when: 'manual' })).allowFailure, true);
  assert.equal((await only({ when: 'manual', allowFailure: false })).allowFailure, false);
  assert.equal((await only({ when: 'delayed', startIn: 5, rules: [rule()] })).startIn, 5);
  assert.equal((await only({ when: 'delayed', startIn: 5, rules: [rule({ when: 'always' })] })).startIn, null);
  assert.equal(await has({ when: 'never' }), false);
});

test('rules that nothing matches give no pipeline', async () => {
  const none = await run([job('a', { rules: [rule({ if: '$NOTHING' })] })]);
  assert.equal(none.reason, 'filtered_by_rules');
  assert.equal(none.seed, null);
  assert.match(
    none.errors.join(),
    /^The resulting pipeline would have been empty\. Review the <a [^>]+>rules<\/a> configuration for the relevant jobs\.$/,
  );
  const side = await run([job('a', { stage: '.pre' }), job('b', { stage: '.post' })]);
  assert.equal(side.reason, 'filtered_by_rules');
});

test('workflow rules decide whether there is a pipeline, and add variables', async () => {
  const workflow = (rules: ReturnType<typeof rule>[]) => ({
    name: '  $NAME of $CI_COMMIT_BRANCH ',
    rules,
    autoCancel: { onNewCommit: 'none', onJobFailure: 'all' } as const,
  });
  const around = (rules: ReturnType<typeof rule>[]): Around => ({
    context: { predefined: [{ key: 'CI_COMMIT_BRANCH', value: 'main' }] },
    config: { workflow: workflow(rules), variables: variables({ NAME: 'low', OTHER: 'o' }) },
  });
  const jobs = [
    job('a'),
    job('b', { variables: variables({ NAME: 'own' }) }),
    job('c', { inheritVariables: ['OTHER'] }),
  ];
  const never = await run(jobs, around([rule({ if: '$CI_COMMIT_BRANCH == "main"', when: 'never' }), rule()]));
  assert.equal(never.reason, 'filtered_by_workflow');
  assert.match(
    never.errors.join(),
    /^The pipeline did not run\. Review the <a [^>]+>workflow:rules<\/a> configuration for the pipeline\.$/,
  );
  const unmatched = await run(jobs, around([rule({ if: '$CI_COMMIT_BRANCH == "x"' })]));
  assert.equal(unmatched.reason, 'filtered_by_workflow');
  const { seed } = await run(
    jobs,
    around([
      rule({
        variables: variables({ NAME: 'high' }),
        autoCancel: { onNewCommit: 'interruptible', onJobFailure: null },
      }),
    ]),
  );
  assert.equal(seed?.name, 'high of main');
  assert.deepEqual(seed?.autoCancel, { onNewCommit: 'interruptible', onJobFailure: 'all' });
  assert.deepEqual(
    seed?.jobs.map((each) => valueIn(each, 'NAME')),
    ['high', 'own', undefined],
  );
  assert.deepEqual(
    seed?.jobs.map((each) => valueIn(each, 'OTHER')),
    ['o', 'o', 'o'],
  );
});

test('a name of a pipeline has at most 255 characters', async () => {
  const named = (name: string) => run([job('a')], { config: { workflow: { ...config([]).workflow, name } } });
  assert.equal((await named('x'.repeat(255))).seed?.name, 'x'.repeat(255));
  assert.equal((await named(' $NOTHING ')).seed?.name, null);
  assert.deepEqual((await named('x'.repeat(256))).errors, [
    'Failed to build pipeline metadata! Name is too long (maximum is 255 characters)',
  ]);
});

test('conditions see the name and the stage of the job', async () => {
  const rules = [rule({ if: '$CI_JOB_NAME == "asked" && $CI_JOB_STAGE == "build" && $CI_JOB_ID == null' })];
  assert.equal(await has({ stage: 'build', rules }), true);
});

test('needs must be there, unless they are optional', async () => {
  const need = (name: string, optional = false) => ({ job: name, artifacts: true, optional });
  const gone = job('gone', { stage: 'build', rules: [rule({ when: 'never' })] });
  const missing = await run([gone, job('b', { needs: [need('gone')] })]);
  assert.deepEqual(missing.errors, [
    "'b' job needs 'gone' job, but 'gone' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.",
  ]);
  assert.deepEqual((await seeds([gone, job('b', { needs: [need('gone', true)] })]))[0]?.needs, []);
  const first = Array.from({ length: 51 }, (_, at) => job(`j${at}`, { stage: 'build' }));
  const all = first.map(({ name }) => need(name));
  assert.equal((await seeds([...first, job('b', { needs: all.slice(1) })])).length, 52);
  assert.deepEqual((await run([...first, job('b', { needs: all })])).errors, [
    'b: one job can only need 50 others, but you have listed 51. See needs keyword documentation for more details',
  ]);
});

test('jobs stand in the order of their stages', async () => {
  const jobs = await seeds([job('d', { stage: 'deploy' }), job('t'), job('p', { stage: '.pre' }), job('u')]);
  assert.deepEqual(
    jobs.map(({ name, stageIndex }) => `${name}${stageIndex}`),
    ['p0', 't2', 'u2', 'd3'],
  );
});
