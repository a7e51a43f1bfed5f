import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { Tree } from '../config/loaded.ts';
import { readConfig } from './read-config.ts';

const read = (text: string) => readConfig(parse(text));

/** The configuration, which must be valid. */
function config(text: string) {
  const { config, errors } = read(text);
  assert.deepEqual(errors, []);
  assert.ok(config);
  return config;
}

function job(text: string, name = 'build') {
  const jobConfig = config(text).jobs.find((each) => each.name === name);
  assert.ok(jobConfig, name);
  return jobConfig;
}

test('a job takes over what default says, and what stands at the top level in its place', () => {
  const build = job(`
default: { tags: [docker], retry: 1, timeout: 10 minutes, interruptible: true }
image: ruby:3.3
before_script: [bundle install]
build: { script: make, timeout: 1h }
`);
  assert.deepEqual(build.tags, ['docker']);
  assert.equal(build.interruptible, true);
  assert.equal(build.options.timeout, 3600);
  assert.equal(build.options.image?.name, 'ruby:3.3');
  assert.deepEqual(build.options.beforeScript, ['bundle install']);
  assert.deepEqual(build.options.retry, { max: 1, when: null, exitCodes: null });
});

test('inherit says what of the defaults a job takes over', () => {
  const { tags, options, inheritVariables } = job(`
default: { tags: [docker], image: ruby, before_script: echo }
build: { script: make, inherit: { default: [image], variables: [A] } }
`);
  assert.deepEqual([tags, options.image?.name, options.beforeScript], [[], 'ruby', []]);
  assert.deepEqual(inheritVariables, ['A']);
  const none = job(
    '{ default: { image: ruby }, build: { script: make, inherit: { default: false, variables: false } } }',
  );
  assert.deepEqual([none.options.image, none.inheritVariables], [null, false]);
});

test('a key that is null is as if it did not stand', () => {
  assert.equal(job('{ default: { image: ruby }, build: { script: make, image: null } }').options.image?.name, 'ruby');
});

test('a job without rules is for branches and tags, unless the workflow decides', () => {
  const refs = { refs: ['branches', 'tags'], variables: null, changes: null, kubernetes: null };
  assert.deepEqual(job('build: { script: make }').only, refs);
  assert.deepEqual(job('build: { script: make, only: { variables: [$A] } }').only, { ...refs, variables: ['$A'] });
  assert.equal(job('build: { script: make, rules: [{ if: $A }] }').only, null);
  assert.equal(job('{ workflow: { rules: [{ if: $A }] }, build: { script: make } }').only, null);
});

test('parallel multiplies a job, and needs and dependencies follow', () => {
  const { jobs } = config(`
stages: [build, test]
build: { stage: build, script: make, parallel: 2 }
lint: { stage: build, script: make, parallel: { matrix: [{ OS: [mac, linux], V: 1 }, { OS: bsd }] } }
test: { stage: test, script: make, needs: [build, { job: lint, artifacts: false }], dependencies: [build] }
one:
  stage: test
  script: make
  needs: [{ job: lint, parallel: { matrix: [{ OS: mac, V: 1 }] } }]
`);
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ['build 1/2', 'build 2/2', 'lint: [mac, 1]', 'lint: [linux, 1]', 'lint: [bsd]', 'test', 'one'],
  );
  assert.deepEqual(jobs[3]?.parallel, { index: 2, total: 3, matrix: { OS: 'linux', V: '1' }, of: 'lint' });
  assert.deepEqual(
    jobs[5]?.needs?.map((need) => `${need.job} ${need.artifacts}`),
    ['build 1/2 true', 'build 2/2 true', 'lint: [mac, 1] false', 'lint: [linux, 1] false', 'lint: [bsd] false'],
  );
  assert.deepEqual(jobs[5]?.options.dependencies, ['build 1/2', 'build 2/2']);
  assert.deepEqual(jobs[6]?.needs, [{ job: 'lint: [mac, 1]', artifacts: true, optional: false }]);
});

test('a job may need what its own place in the matrix names', () => {
  const { jobs } = config(`
build: { script: make, parallel: { matrix: [{ OS: [mac, linux] }] } }
test:
  script: make
  parallel: { matrix: [{ OS: [linux, mac] }] }
  needs: [{ job: build, parallel: { matrix: [{ OS: ['$[[ matrix.OS ]]'] }] } }]
`);
  assert.deepEqual(
    jobs.slice(2).map(({ name, needs }) => [name, needs?.[0]?.job]),
    [
      ['test: [linux]', 'build: [linux]'],
      ['test: [mac]', 'build: [mac]'],
    ],
  );
});

test('.pre and .post are the ends, wherever they are named', () => {
  assert.deepEqual(config('{ stages: [.post, b, a, b], x: { stage: a, script: make } }').stages, [
    '.pre',
    'b',
    'a',
    '.post',
  ]);
});

test('the first thing that does not fit between jobs is told, and alone', () => {
  const { errors } = read('{ a: { script: x, stage: none }, b: { script: x, needs: [c] } }');
  assert.deepEqual(errors, [
    'a job: chosen stage none does not exist; available stages are .pre, build, test, deploy, .post',
  ]);
});

test('circles of needs are named', () => {
  const circle = (text: string) => read(text).errors;
  const words = 'The pipeline has circular dependencies:';
  assert.deepEqual(circle('a: { script: x, needs: [a] }'), [`${words} self-dependency: a`]);
  assert.deepEqual(
    circle('{ a: { script: x, needs: [b] }, b: { script: x, needs: [c] }, c: { script: x, needs: [b] } }'),
    [`${words} topological sort failed: ["b", "c"]`],
  );
});

test('hostile configurations end in an error', () => {
  const script = 'script: x';
  const many = Array.from({ length: 100_000 }, (_, at) => [`j${at}`, { script: 'x' }]);
  const limit = /^The number of jobs has exceeded the limit of 10000/;
  assert.match(readConfig(Object.fromEntries(many)).errors[0]!, limit);
  const wide = Array.from({ length: 100 }, (_, at) => [`j${at}`, { script: 'x', parallel: 200 }]);
  assert.match(readConfig(Object.fromEntries(wide)).errors[0]!, limit);
  const values = Array.from({ length: 200 }, (_, at) => at);
  const matrix = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`V${at}`, values]));
  assert.deepEqual(readConfig({ a: { script: 'x', parallel: { matrix: [matrix] } } }).errors, [
    'jobs:a:parallel:matrix config generates too many jobs (maximum is 200)',
  ]);
  assert.deepEqual(read(`a: { ${script}, parallel: 1000000000 }`).errors, [
    'jobs:a:parallel config must be less than or equal to 200',
  ]);
  const crooked = many
    .slice(0, 5000)
    .map(([name]) => [name, { script: 'x', image: [], rules: [{ changes: 1, if: 2 }] }]);
  assert.equal(readConfig(Object.fromEntries(crooked)).errors.length, 1000);
  const wrong = Object.fromEntries(many.map(([name]) => [name as string, 1]));
  assert.equal(readConfig(wrong).errors.length, 1000);
  const large = { before_script: 'x'.repeat(900_000) };
  assert.deepEqual(readConfig({ ...large, a: { script: 'x', parallel: 200 } }).errors, [
    'Total size of combined CI/CD configuration is too big',
  ]);
  const needy = Array.from({ length: 700 }, (_, at) => [
    `j${at}`,
    { script: 'x', needs: many.slice(0, at).map(([name]) => name as string) },
  ]);
  assert.deepEqual(readConfig(Object.fromEntries(needy)).errors, [
    'The jobs of a configuration can together need 200000 others',
  ]);
});

test('what thousands of jobs extend is read once', () => {
  const shared = {
    script: Array.from({ length: 10_000 }, (_, at) => `line ${at}`),
    rules: Array.from({ length: 10_000 }, (_, at) => ({ if: `$A == "${at}"` })),
    needs: Array.from({ length: 1_000 }, (_, at) => `first${at}`),
  };
  const first = Array.from({ length: 1_000 }, (_, at) => [`first${at}`, { script: 'x', stage: 'build' }]);
  const then = Array.from({ length: 5_000 }, (_, at) => [`then${at}`, { ...shared }]);
  const { errors } = readConfig(Object.fromEntries([...first, ...then]));
  assert.deepEqual(errors, ['Total size of combined CI/CD configuration is too big']);
});

test('faults of what many jobs extend are told of each, and found once', () => {
  const rules = [...Array.from({ length: 10_000 }, (_, at) => ({ if: `$A == "${at}"` })), { if: '==' }, { when: 'x' }];
  const jobs = Array.from({ length: 600 }, (_, at) => [`j${at}`, { script: 'x', rules }]);
  const { errors } = readConfig(Object.fromEntries(jobs));
  assert.equal(errors.length, 1000);
  assert.deepEqual(errors.slice(2, 4), [
    'jobs:j1:rules:rule if invalid expression syntax',
    'jobs:j1:rules:rule when unknown value: x',
  ]);
  const name = 'n'.repeat(900_000);
  const long = { [name]: { value: 1, colour: 1 }, [`${name}2`]: [] };
  const texts = readConfig(Object.fromEntries(jobs.map(([job]) => [job, { script: 'x', variables: long }]))).errors;
  assert.ok(texts.join('').length < 3_000_000);
});

test('few lists that nest each other are not many items', () => {
  const nest = (item: Tree) => {
    let list: Tree[] = Array.from({ length: 10 }, () => item);
    for (let depth = 0; depth < 9; depth++) list = Array.from({ length: 10 }, () => list);
    return list;
  };
  const errors = ['Total size of combined CI/CD configuration is too big'];
  assert.deepEqual(readConfig({ a: { script: nest('x') } }).errors, errors);
  assert.deepEqual(readConfig({ a: { script: 'x', needs: nest('x') } }).errors, errors);
  assert.deepEqual(readConfig({ a: { script: 'x', rules: nest({ if: '$A' }) } }).errors, errors);
  assert.deepEqual(readConfig({ a: { script: 'x' }, stages: nest('x') }).errors, errors);
});

test('keys that every object seems to have are as good as any', () => {
  const tree = JSON.parse('{"__proto__": {"script": "x"}, "constructor": {"script": "x", "needs": ["__proto__"]}}');
  const { config: parsed, errors } = readConfig(tree);
  assert.deepEqual(errors, []);
  assert.deepEqual(
    parsed?.jobs.map(({ name }) => name),
    ['__proto__', 'constructor'],
  );
});
