import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { applySeed } from './seed.apply.ts';
import { SeedError } from './seed.error.ts';

const CONFIG = 'build: {script: [make]}\\ntest-unit: {script: [make test], stage: test}\\n';
const seed = (jobs: string) => `projects:
  - path: web
    commits: [{message: Begin, files: {.gitlab-ci.yml: "${CONFIG}"}}]
    jobs: ${jobs}
`;
const RULES = '[{name: "test-*", status: failed, log: "1 test failed", after: 2}, {name: "*", coverage: 81.5}]';

let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_BENCH: '1' } });
});
after(() => app.close());

const apply = (text: string, to = app) =>
  applySeed(to.instance, { text, file: 'seed.yml', bundles: async () => null }).then(({ made }) => made);

test('jobs of a seeded project end by its rules', async () => {
  assert.equal((await apply(seed(RULES))).job_rules, 1);
  assert.deepEqual(await apply(seed(RULES)), {});
  expectStatus(await app.post('/projects/root%2Fweb/pipeline', { json: { ref: 'main' } }), 201);
  await app.drain();
  const states = async () =>
    expectStatus<{ name: string; status: string; coverage: number | null }[]>(
      await app.get('/projects/root%2Fweb/jobs'),
      200,
    )
      .map(({ name, status, coverage }) => [name, status, coverage])
      .sort();
  assert.deepEqual((await states())[0], ['build', 'success', 81.5]);
  clock.advance(2_000);
  await app.drain();
  assert.deepEqual((await states())[1], ['test-unit', 'failed', null]);
});

test('auto lets all succeed, and what is no rule is told with its line', async () => {
  assert.equal((await apply(seed('auto'))).job_rules, 1);
  await assert.rejects(
    apply(seed('sometimes')),
    (error) => error instanceof SeedError && /^seed\.yml:4: /.test(error.message),
  );
  await assert.rejects(
    apply(seed('[{status: failed}]')),
    (error) => error instanceof SeedError && /^seed\.yml:4: projects\[0\]\.jobs/.test(error.message),
  );
});

test('without a test bench no job ends by itself', async () => {
  const plain = await buildTestApp();
  try {
    await assert.rejects(apply(seed('auto'), plain), /seed\.yml:.*jobs: only a server with a test bench/);
  } finally {
    await plain.close();
  }
});
