import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job, rule, variables } from '../../../test/support/ci-config.ts';
import { type Around, has, policy, run, stored } from '../../../test/support/ci-evaluation.ts';
import type { PipelineContext } from '../compile-request.ts';
import { globMatcher } from '../globs.ts';
import type { ConfigSources } from '../sources.ts';

const REPOSITORY = ['README.md', 'docs/a.md', 'docs/b/c.md', 'src/x.ts'];
const existingFiles: Partial<ConfigSources> = {
  paths: async (context, globs, limit) =>
    (context.project === 'other/project' ? ['there'] : REPOSITORY).filter(globMatcher(globs)).slice(0, limit),
  project: async (path, ref) => {
    if (path !== 'other/project') return { denied: true };
    return ref === 'missing' ? { noRef: true } : { context: { project: path, sha: 'b'.repeat(40) } };
  },
};

test('exists looks at the files of the commit', async () => {
  const asked = (paths: string[], around: Around = {}) =>
    has({ rules: [rule({ exists: { paths, project: null, ref: null } })] }, { sources: existingFiles, ...around });
  for (const path of ['README.md', '/README.md', '**/*.md', 'docs/', 'docs/*.md', '{src,lib}/*.ts', '$DIR/*.ts']) {
    assert.equal(await asked([path], { config: { variables: variables({ DIR: 'src' }) } }), true, path);
  }
  for (const path of ['readme.md', '*.ts', 'doc/', 'docs', '$UNKNOWN/*.ts'])
    assert.equal(await asked([path]), false, path);
  assert.equal(await asked(['nothing', 'src/x.ts']), true);
});

test('exists with more than 50,000 comparisons is true', async () => {
  const many: Partial<ConfigSources> = {
    paths: async (_, [glob], limit) => (glob === '**/*' ? Array<string>(limit).fill('x') : glob === '*' ? ['x'] : []),
  };
  const asked = (...paths: string[]) =>
    has({ rules: [rule({ exists: { paths, project: null, ref: null } })] }, { sources: many });
  assert.equal(await asked('lib/*.none'), true);
  assert.equal(await asked('none', 'a/{b,c}'), true);
  for (const path of ['none', 'lib/none', 'none/', '**/*.none', '*.none']) assert.equal(await asked(path), false, path);
});

test('many questions about files are answered out of one list', async () => {
  let asked = 0;
  const counting: Partial<ConfigSources> = {
    paths: async (context, globs, limit) => {
      asked += 1;
      return existingFiles.paths!(context, globs, limit);
    },
  };
  const of = (path: string) => [rule({ exists: { paths: [path], project: null, ref: null } })];
  const jobs = Array.from({ length: 200 }, (_, at) => job(`j${at}`, { rules: of(`**/none-${at}.md`) }));
  const { seed } = await run([...jobs, job('there', { rules: of('docs/b/*.md') })], { sources: counting });
  assert.deepEqual(
    seed?.jobs.map(({ name }) => name),
    ['there'],
  );
  assert.ok(asked < 50, `${asked} questions`);
});

test('exists may look at another project', async () => {
  const asked = (project: string, ref: string | null) =>
    run([job('a'), job('b', { rules: [rule({ exists: { paths: ['there'], project, ref } })] })], {
      sources: existingFiles,
      context: { stored: [stored('P', 'other/project'), stored('SECRET', 'password1', '*', true)] },
    });
  assert.equal((await asked('$P', null)).seed?.jobs.length, 2);
  assert.deepEqual((await asked('no/such', null)).errors, [
    'Failed to parse rule for b: rules:exists:project `no/such` not found or access denied',
  ]);
  assert.deepEqual((await asked('$P', 'missing')).errors, [
    'Failed to parse rule for b: rules:exists:ref `missing` is not a valid ref in project `other/project`',
  ]);
  assert.deepEqual((await asked('x/$SECRET', null)).errors, [
    'Failed to parse rule for b: rules:exists:project `x/[MASKED]x` not found or access denied',
  ]);
});

test('changes looks at what the pipeline changes', async () => {
  const asked = (paths: string[], changed: string[] | null) =>
    has({ rules: [rule({ changes: { paths, compareTo: null } })] }, { sources: { changedPaths: async () => changed } });
  assert.equal(await asked(['docs/**/*'], ['docs/a.md']), true);
  assert.equal(await asked(['src/*'], ['docs/a.md']), false);
  assert.equal(await asked(['src/*'], null), true);
  assert.equal(await asked(['**/*'], []), false);
  assert.equal(
    await asked(
      ['no'],
      Array.from({ length: 50_001 }, (_, at) => `f${at}`),
    ),
    true,
  );
});

test('changes may compare with another ref', async () => {
  const asked = (compareTo: string) =>
    run([job('a'), job('b', { rules: [rule({ changes: { paths: ['x'], compareTo } })] })], {
      sources: { changedPaths: async (base) => (base === 'main' ? ['x'] : { invalidRef: true }) },
      config: { variables: variables({ BASE: 'main' }) },
    });
  assert.equal((await asked('$BASE')).seed?.jobs.length, 2);
  assert.deepEqual((await asked('nowhere')).errors, [
    'Failed to parse rule for b: rules:changes:compare_to is not a valid ref',
  ]);
});

for (const [refs, context, expected] of [
  [['main'], {}, true],
  [['other'], {}, false],
  [['/^ma/'], {}, true],
  [['/^MA/i'], {}, true],
  [['branches'], {}, true],
  [['tags'], {}, false],
  [['tags'], { refType: 'tag' }, true],
  [['pushes'], {}, true],
  [['push'], {}, true],
  [['api'], { source: 'api' }, true],
  [['apis'], { source: 'api' }, true],
  [['web'], { source: 'web' }, true],
  [['schedules'], { source: 'schedule' }, true],
  [['triggers'], { source: 'trigger' }, true],
  [['pipelines'], { source: 'pipeline' }, true],
  [['external_pull_requests'], { source: 'external_pull_request_event' }, true],
  [['merge_requests'], { source: 'merge_request_event', refType: 'merge_request' }, true],
  [['main'], { source: 'merge_request_event', refType: 'merge_request' }, false],
  [['/./'], { source: 'merge_request_event', refType: 'merge_request' }, false],
  [['main@group/project'], {}, true],
  [['branches@group/other'], {}, false],
] as const) {
  test(`only ${refs.join()} is ${expected} for ${JSON.stringify(context)}`, async () => {
    const around = { context: context as Partial<PipelineContext> };
    assert.equal(await has({ only: policy({ refs: [...refs] }) }, around), expected);
    assert.equal(
      await has(
        { only: policy({ refs: ['main', 'tags', 'merge_requests'] }), except: policy({ refs: [...refs] }) },
        around,
      ),
      expected ? false : await has({ only: policy({ refs: ['main', 'tags', 'merge_requests'] }) }, around),
    );
  });
}

test('every key of only must hold, and any of except', async () => {
  const changedPaths = async () => ['src/x.ts'];
  const around: Around = {
    sources: { changedPaths },
    context: { pipelineVariables: [{ key: 'YES', value: '1' }] },
  };
  const on = policy({ refs: ['main'], variables: ['$NO', '$YES == "1"'], changes: ['src/*'] });
  assert.equal(await has({ only: on }, around), true);
  assert.equal(await has({ only: { ...on, refs: ['x'] } }, around), false);
  assert.equal(await has({ only: { ...on, variables: ['$NO'] } }, around), false);
  assert.equal(await has({ only: { ...on, changes: ['docs/*'] } }, around), false);
  assert.equal(await has({ only: { ...on, refs: null } }, around), true);
  assert.equal(await has({ only: { ...on, kubernetes: 'active' } }, around), false);
  assert.equal(await has({ except: policy({ refs: ['x'], variables: ['$NO'] }) }, around), true);
  assert.equal(await has({ except: policy({ refs: ['x'], variables: ['$YES'] }) }, around), false);
  assert.equal(await has({ except: policy({ changes: ['src/*'] }) }, around), false);
});

test('a broken expression is not true', async () => {
  assert.equal(await has({ rules: [rule({ if: '$A ==' })] }), false);
});
