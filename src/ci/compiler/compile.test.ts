import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { MemorySources, PROJECT, SHA, type World } from '../../../test/support/memory-sources.ts';
import { currentScope, inScope } from '../../core/request-scope.ts';
import { compile } from '../compile.ts';
import type { CompileRequest } from '../compile-request.ts';
import type { ConfigSources } from '../sources.ts';
import { CompileHost } from './host.ts';

function request(content: string, world: World = {}, sources: Partial<ConfigSources> = {}): CompileRequest {
  return {
    content,
    path: '.gitlab-ci.yml',
    context: { project: PROJECT, sha: SHA },
    sources: Object.assign(new MemorySources(world), sources),
    variables: new Map(),
    inputs: {},
    isChild: false,
    pipeline: null,
  };
}

const TOO_MUCH = ['The configuration takes too much time or memory to be processed'];
const withFiles = { files: { 'a.yml': 'a:\n  script: a\n', 'b.yml': 'b:\n  script: b\n' } };

test('small configurations are compiled here, others in a thread, and come to the same', async () => {
  const small = await compile(request('a:\n  script: make\n'));
  const large = await compile(request(`a:\n  script: make\n${'#'.repeat(3000)}\n`));
  assert.deepEqual(small.errors, []);
  assert.deepEqual(structuredClone(small), large);
});

test('several are compiled at once, each with its own sources', async () => {
  const all = Array.from({ length: 12 }, (_, place) =>
    compile(request('include: a.yml\n', { files: { 'a.yml': `job-${place}:\n  script: x\n` } })),
  );
  const names = (await Promise.all(all)).map(({ config }) => config?.jobs[0]?.name);
  assert.deepEqual(
    names,
    Array.from({ length: 12 }, (_, place) => `job-${place}`),
  );
});

test('sources are asked for whoever compiles, on a thread that was begun for somebody else', async () => {
  const host = new CompileHost();
  const askers: string[] = [];
  const files = withFiles.files;
  for (const caller of ['first', 'second']) {
    const sources = {
      file: async (_: unknown, path: string) => {
        askers.push(currentScope().caller);
        return { content: files[path as keyof typeof files] };
      },
    };
    await inScope({ caller }, () => host.compile(request('include: [a.yml, b.yml]\n', {}, sources)));
  }
  host.stop();
  assert.deepEqual(askers, ['first', 'first', 'second', 'second']);
});

test('a source that fails fails the compilation, as itself', async () => {
  class Gone extends Error {}
  const file = async () => {
    throw new Gone('the database is gone');
  };
  await assert.rejects(compile(request('include: [a.yml, b.yml]\n', withFiles, { file })), Gone);
  const after = await compile(request('include: [a.yml, b.yml]\n', withFiles));
  assert.deepEqual(after.errors, []);
});

test('a file of a repository is asked for once for each include, with where it stands', async () => {
  const sources = new MemorySources(withFiles);
  const compiled = await compile({ ...request('include: [a.yml, b.yml]\n'), sources });
  assert.deepEqual(compiled.errors, []);
  assert.deepEqual(sources.asked, ['group/project:a.yml', 'group/project:b.yml']);
});

test('waiting for files is no work: a slow source is waited for', async () => {
  const files = new MemorySources(withFiles);
  const slow = async (...args: Parameters<ConfigSources['file']>) => {
    await new Promise((resolve) => setTimeout(resolve, 1200));
    return await files.file(...args);
  };
  const compiled = await compile(request('include: a.yml\n', withFiles, { file: slow }));
  assert.deepEqual(compiled.errors, []);
});

test('what takes too long ends with its thread, and others go on', async () => {
  const patterns = Array.from(
    { length: 2000 },
    (_, place) => `j${place}: {script: x, rules: [{if: '$A =~ /(a|b|c)*${place}(x{1,50}){1,20}/'}]}`,
  );
  const host = new CompileHost({ cpuMs: 1, warmUpMs: 0, intervalMs: 1 });
  const hostile = host.compile(request(patterns.join('\n')));
  const others = await Promise.all([1, 2].map(() => compile(request('include: [a.yml, b.yml]\n', withFiles))));
  assert.deepEqual((await hostile).errors, TOO_MUCH);
  assert.equal(host.isFree, false);
  for (const { errors } of others) assert.deepEqual(errors, []);
});

test('hostile files get an error of their own, within the memory of their thread', async (t) => {
  // Independent of the speed of the machine: timeouts have a test of their own.
  const host = new CompileHost({ cpuMs: Number.POSITIVE_INFINITY, warmUpMs: 0, intervalMs: 1_000 });
  t.after(() => host.stop());
  const times = (count: number, line: (place: number) => string) =>
    Array.from({ length: count }, (_, place) => line(place)).join('\n');
  const tooBig = ['The parsed YAML is too big'];
  for (const [name, text, errors] of [
    ['more than 1 MB', `a: ${'x'.repeat(1024 * 1024)}`, tooBig],
    ['many keys', times(100_000, (place) => `k${place}: 1`), tooBig],
    [
      'merges of an empty map',
      `a: &a {}\nb: &b [${'*a,'.repeat(20_000)}]\n${times(20_000, (place) => `c${place}: {<<: *b}`)}`,
      tooBig,
    ],
    [
      'merges of a large map',
      `a: &a {${times(1000, (place) => `k${place}: 1,`)}}\nb: {<<: [${'*a,'.repeat(20_000)}]}`,
      tooBig,
    ],
    [
      'children of a large parent',
      `.p: {${times(5000, (place) => `k${place}: 1,`)}}\n${times(9000, (place) => `j${place}: {extends: .p}`)}`,
      tooBig,
    ],
    [
      'references that double',
      `${times(9, (place) => `r${place}: [${`!reference [r${place + 1}],`.repeat(6)}]`)}\nr9: [a, b, c, d, e]`,
      tooBig,
    ],
    [
      'inputs that grow',
      `spec:\n  inputs:\n    a: {default: ${'b'.repeat(10_000)}}\n---\nj:\n  script: "${'$[[ inputs.a ]]'.repeat(60_000)}"`,
      ['config too large'],
    ],
    [
      'a key that its aliases make long',
      `${times(30, (place) => `a${place}: &a${place} [${place === 0 ? 'x' : `*a${place - 1}, *a${place - 1}`}]`)}\n? *a29\n: x`,
      tooBig,
    ],
    [
      'a long text that is referred to often',
      `a: ['${'x'.repeat(500_000)}']\nb: [${'!reference [a],'.repeat(5000)}]`,
      tooBig,
    ],
    [
      'a long text that many jobs take over',
      `.p: {script: '${'x'.repeat(200_000)}'}\n${times(3000, (place) => `j${place}: {extends: .p}`)}`,
      tooBig,
    ],
    ['openings of blocks', `spec:\n  inputs:\n    a: {default: b}\n---\nj:\n  script: "${'$[[ '.repeat(200_000)}"`, []],
  ] as const) {
    const compiled = await host.compile(request(text));
    assert.deepEqual(compiled.errors, errors, name);
    assert.ok(host.isFree, name);
  }
});

test('950 jobs of which 450 need 50 others are compiled', async (t) => {
  const host = new CompileHost();
  t.after(() => host.stop());
  const needs = (place: number) => Array.from({ length: 50 }, (_, other) => `job-${(place * 7 + other) % 500}`);
  const jobs = Array.from({ length: 950 }, (_, place) =>
    place < 500
      ? `job-${place}: {stage: build, script: make}`
      : `job-${place}: {stage: test, script: make, needs: [${needs(place).join(', ')}]}`,
  );
  const pipeline = {
    ...{ source: 'push', ref: 'main', refType: 'branch' as const, projectPath: 'group/project' },
    ...{ predefined: [], stored: [], pipelineVariables: [], maxNeeds: 50 },
  };
  const { errors, evaluated } = await host.compile({ ...request(jobs.join('\n')), pipeline });
  assert.deepEqual(errors, []);
  assert.equal(evaluated?.seed?.jobs.length, 950);
  assert.ok(host.isFree);
});

test('a thread that is given no time says nothing about the configuration', async (t) => {
  const host = new CompileHost({ cpuMs: 5_000, warmUpMs: 0, intervalMs: 30_000 });
  t.mock.method(Worker.prototype, 'cpuUsage', () => new Promise(() => undefined));
  t.mock.timers.enable({ apis: ['setInterval'] });
  const begun = Promise.withResolvers<void>();
  const file = async () => {
    begun.resolve();
    return await new Promise<never>(() => undefined);
  };
  const compiled = host.compile(request('include: [a.yml, b.yml]\n', {}, { file }));
  await begun.promise;
  t.mock.timers.tick(90_000);
  await assert.rejects(compiled, { status: 503, headers: { 'Retry-After': '5' }, retryAfterMs: 5_000 });
  assert.equal(host.isFree, false);
  host.stop();
});

for (const [name, first, further, limits] of [
  [
    'what its limits say, the first one more, for which all code is compiled',
    290,
    90,
    [{ cpuMs: 100, warmUpMs: 200, intervalMs: 1 }],
  ],
  ['seconds, where nothing else is said', 6_500, 4_500, []],
] as const) {
  test(`a configuration may take of a processor ${name}`, async (t) => {
    let taken = 0;
    let looks = 0;
    t.mock.method(Worker.prototype, 'cpuUsage', async () => {
      looks += 1;
      return { user: taken * 500, system: taken * 500 };
    });
    /** Compiles, and simulates the thread's processor time while it waits for a file. */
    const compiling = async (host: CompileHost, ms: number) => {
      let isOver = false;
      const file = async () => {
        taken += ms;
        const from = looks;
        while (!isOver && looks < from + 3) await sleep(1);
        return { content: withFiles.files['a.yml'] };
      };
      const { errors } = await host.compile(request('include: a.yml\n', {}, { file }));
      isOver = true;
      return errors;
    };
    const host = new CompileHost(...limits);
    t.after(() => host.stop());
    assert.deepEqual(await compiling(host, first), []);
    assert.deepEqual(await compiling(host, further), []);
    assert.deepEqual(await compiling(host, first), TOO_MUCH);
    assert.equal(host.isFree, false);
  });
}
