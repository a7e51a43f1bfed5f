import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job, options, rule, variables } from '../../../test/support/ci-config.ts';
import { type Around, has, only, run, stored, valueIn } from '../../../test/support/ci-evaluation.ts';
import type { PipelineContext } from '../compile-request.ts';
import type { JobConfig } from '../pipeline-config.ts';

test('variables count in their precedence', async () => {
  const around: Around = {
    context: {
      predefined: [{ key: 'V', value: 'predefined' }],
      stored: [stored('V', 'instance'), stored('V', 'project')],
      pipelineVariables: [{ key: 'V', value: 'given' }],
    },
    config: { variables: variables({ V: 'top' }) },
  };
  const sees = async (value: string, jobConfig: Partial<JobConfig> = {}, context: Partial<PipelineContext> = {}) =>
    has(
      { ...jobConfig, rules: [rule({ if: `$V == "${value}"` })] },
      { ...around, context: { ...around.context, ...context } },
    );
  assert.equal(await sees('given'), true);
  assert.equal(await sees('project', {}, { pipelineVariables: [] }), true);
  assert.equal(await sees('own', { variables: variables({ V: 'own' }) }, { pipelineVariables: [], stored: [] }), true);
  assert.equal(await sees('top', {}, { pipelineVariables: [], stored: [] }), true);
  assert.equal(await sees('predefined', { inheritVariables: false }, { pipelineVariables: [], stored: [] }), true);
});

test('variables of an environment count for jobs of that environment', async () => {
  const context: Partial<PipelineContext> = {
    stored: [
      stored('V', 'all'),
      stored('V', 'some', 'review/*'),
      stored('V', 'one', 'review/a'),
      stored('E', 'review/a'),
    ],
  };
  const seen = async (name: string | null) => {
    const environment =
      name === null
        ? null
        : {
            name,
            url: null,
            onStop: null,
            action: 'start' as const,
            autoStopIn: null,
            deploymentTier: null,
            kubernetes: null,
          };
    const seed = await only({ environment, tags: ['$V'] }, { context });
    return seed.tags[0];
  };
  assert.equal(await seen(null), 'all');
  assert.equal(await seen('production'), 'all');
  assert.equal(await seen('review/b'), 'some');
  assert.equal(await seen('review/a'), 'one');
  assert.equal(await seen('$E'), 'one');
});

test('references are replaced where the server replaces them', async () => {
  const around: Around = {
    context: {
      predefined: [{ key: 'CI_COMMIT_REF_SLUG', value: 'topic' }],
      stored: [stored('WHERE', 'review/$CI_COMMIT_REF_SLUG')],
    },
    config: { variables: [{ key: 'AS_IT_IS', value: '$WHERE', raw: true }] },
  };
  const seed = await only(
    {
      kind: 'bridge',
      tags: ['$SIZE', '${SIZE}', '%NOTHING%', 'x$AS_IT_IS'],
      resourceGroup: 'group-$WHERE',
      rules: [rule({ variables: variables({ SIZE: 'large' }) })],
      environment: {
        name: '$WHERE-$SIZE',
        url: 'https://$CI_ENVIRONMENT_SLUG.example.com/$LATER/$CI_ENVIRONMENT_TIER',
        onStop: 'stop',
        action: 'start',
        autoStopIn: '$SIZE days',
        deploymentTier: null,
        kubernetes: null,
      },
      options: options({
        trigger: {
          project: 'group/$SIZE',
          branch: '$LATER',
          include: null,
          strategy: null,
          forward: { yamlVariables: true, pipelineVariables: false },
          inputs: {},
        },
        idTokens: { TOKEN: { aud: ['https://$SIZE'] } },
      }),
    },
    around,
  );
  assert.deepEqual(seed.tags, ['large', 'x$WHERE']);
  assert.equal(seed.resourceGroup, 'group-review/topic');
  assert.equal(seed.environment?.name, 'review/topic-large');
  assert.match(seed.environment?.url ?? '', /^https:\/\/review-topic-[a-z0-9-]+\.example\.com\/\$LATER\/development$/);
  assert.equal(seed.environment?.autoStopIn, 'large days');
  assert.equal(seed.environment?.onStop, 'stop');
  assert.equal(seed.options.trigger?.project, 'group/large');
  assert.equal(seed.options.trigger?.branch, '$LATER');
  assert.deepEqual(seed.options.idTokens, { TOKEN: { aud: ['https://large'] } });
  assert.equal(valueIn(seed, 'SIZE'), 'large');
  assert.equal(valueIn(seed, 'AS_IT_IS'), '$WHERE');
});

test('parallel jobs have their place and their matrix as variables', async () => {
  const parallel = { index: 2, total: 4, matrix: { OS: 'linux' }, of: 'only' };
  const seed = await only({ parallel, variables: variables({ OS: 'low' }), rules: [rule({ if: '$OS == "linux"' })] });
  assert.deepEqual(
    ['OS', 'CI_NODE_INDEX', 'CI_NODE_TOTAL'].map((key) => valueIn(seed, key)),
    ['linux', '2', '4'],
  );
});

test('variables that refer to each other in a circle are an error of the jobs that have them', async () => {
  const circle = variables({ A: '$B', B: '$A' });
  const own = await run([job('a', { variables: circle }), job('b')]);
  assert.equal(own.reason, 'invalid');
  assert.deepEqual(own.errors, ['a: circular variable reference detected: ["A", "B"]']);
  assert.equal(
    (await run([job('a', { variables: circle, rules: [rule({ when: 'never' })] }), job('b')])).seed?.jobs.length,
    1,
  );
  const all = await run([job('a'), job('b')], { config: { variables: circle } });
  assert.deepEqual(all.errors, [
    'a: circular variable reference detected: ["A", "B"]\nb: circular variable reference detected: ["A", "B"]',
  ]);
  const covered = { config: { variables: circle }, context: { pipelineVariables: [{ key: 'B', value: 'end' }] } };
  assert.equal((await only({ tags: ['$A'] }, covered)).tags[0], 'end');
});

test('circles among stored variables, and through them, are found', async () => {
  const errorsWith = async (storedVariables: [string, string, string?][], yaml: Record<string, string> = {}) => {
    const context = { stored: storedVariables.map(([key, value, scope]) => stored(key, value, scope)) };
    const review = { name: 'review', url: null, onStop: null, action: 'start' as const };
    const environment = { ...review, autoStopIn: null, deploymentTier: null, kubernetes: null };
    const jobs = [job('a', { variables: variables(yaml), environment })];
    return (await run(jobs, { context })).errors.join();
  };
  const circle = 'a: circular variable reference detected:';
  assert.equal(
    await errorsWith([
      ['A', '$B'],
      ['B', '$A'],
    ]),
    `${circle} ["A", "B"]`,
  );
  assert.equal(await errorsWith([['A', '$B']], { B: '$A' }), `${circle} ["B", "A"]`);
  assert.equal(
    await errorsWith([
      ['A', '$B', 'review'],
      ['B', '$A'],
    ]),
    `${circle} ["A", "B"]`,
  );
  assert.equal(
    await errorsWith([
      ['A', '$B', 'production'],
      ['B', '$A'],
    ]),
    '',
  );
  assert.equal(
    await errorsWith([
      ['A', '$B'],
      ['B', '$A'],
      ['B', 'end'],
    ]),
    '',
  );
  assert.equal(
    await errorsWith([
      ['A', '$A'],
      ['B', '$A'],
    ]),
    '',
  );
});

test('a variable may take up the one of its name below it', async () => {
  const around = { config: { variables: variables({ PATHS: '/a' }) } };
  assert.deepEqual((await only({ variables: variables({ PATHS: '$PATHS:/b' }), tags: ['$PATHS'] }, around)).tags, [
    '/a:/b',
  ]);
});

test('variables that double each other are refused', async () => {
  const bomb = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`V${at}`, `$V${at + 1}$V${at + 1}`]));
  const answer = await run([job('a', { tags: ['$V0'] })], { config: { variables: variables({ ...bomb, V60: 'xx' }) } });
  assert.deepEqual(answer.errors, ['a: variables expand to more than 1048576 characters']);
  const big = variables({ BIG: 'x'.repeat(900_000) });
  const many = Array.from({ length: 200 }, (_, at) => job(`j${at}`, { resourceGroup: '$BIG' }));
  const wide = await run(many, { config: { variables: big } });
  assert.match(wide.errors.join(), /^j\d+: variables of the pipeline expand to too much text/);
});
