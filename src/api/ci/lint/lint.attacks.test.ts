import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { closedAddress, type FileServer, serveFiles } from '../../../../test/support/file-server.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import { CompileHost } from '../../../ci/compiler/host.ts';
import { Busy } from '../../../core/busy.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface LintAnswer {
  valid: boolean;
  errors: string[];
  merged_yaml: string | null;
  includes: { location: string }[] | null;
}

const SECRET = 's3cret-value-of-the-project';
const GUARDED = 'guarded-value-of-the-project';

let app: TestApp;
let server: FileServer;
let staff: Awaited<ReturnType<typeof staffedGroup>>;
let project: Project;
let hidden: Project;

before(async () => {
  app = await buildTestApp();
  server = await serveFiles({ '/ci.yml': 'job: {script: echo}\n' });
  staff = await staffedGroup(app);
  project = await app.make.project({ namespace: staff.group, visibility: 'public' });
  new ProjectGit(app, project).commit('main', { '.gitlab-ci.yml': 'include: "$SECRET.yml"\n', 'README.md': '' });
  hidden = await app.make.project();
  new ProjectGit(app, hidden).commit('main', { 'ci.yml': 'hidden: {script: echo}\n' });
  const path = `/projects/${project.id}`;
  expectStatus(await app.post(`${path}/protected_branches`, { json: { name: 'main' } }), 201);
  for (const json of [
    { key: 'SECRET', value: SECRET, masked: true },
    { key: 'OPEN', value: 'shown-value' },
    { key: 'GUARDED', value: GUARDED, protected: true },
  ]) {
    expectStatus(await app.post(`${path}/variables`, { json }), 201);
  }
});
after(async () => {
  await server.close();
  await app.close();
});

const path = () => `/projects/${project.id}/ci/lint`;
const lint = async (content: string, json: object = {}, token = staff.developer.token) =>
  expectStatus<LintAnswer>(await app.post(path(), { token, json: { content, ...json } }), 200);

test('a server without the time to look at a configuration says so, and when to come again', async (t) => {
  t.mock.method(CompileHost.prototype, 'compile', () => {
    throw new Busy(503, '503 Service Unavailable - no time', 5);
  });
  const response = await app.post(path(), { token: staff.developer.token, json: { content: '#'.repeat(5_000) } });
  assert.equal(response.statusCode, 503);
  assert.equal(response.headers['retry-after'], '5');
  assert.deepEqual(response.json(), { message: '503 Service Unavailable - no time' });
});

describe('what a configuration makes the server do', () => {
  test('nothing inside is connected to, and the answer does not tell an open port from a closed one', async () => {
    const before = server.asked.length;
    const errors = async (url: string) => (await lint(`include: {remote: "${url}"}`)).errors.join();
    const open = await errors(`${server.url}/ci.yml`);
    const closed = await errors(`${await closedAddress()}/ci.yml`);
    const withoutPort = (text: string) => text.replace(/127\.0\.0\.1:\d+/, 'there');
    assert.equal(withoutPort(open), withoutPort(closed));
    assert.match(open, /could not be fetched because URL is blocked: Requests to localhost are not allowed!$/);
    for (const host of ['[::1]', 'localhost', '0x7f.1', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1']) {
      assert.match(await errors(`http://${host}/ci.yml`), /could not be fetched because URL is blocked: /, host);
    }
    assert.equal(server.asked.length, before);
    const anonymous = await app.post(path(), { token: null, json: { content: `include: ${server.url}/ci.yml` } });
    assert.equal(anonymous.statusCode, 401);
    assert.equal(server.asked.length, before);
  });

  test('a project that the caller may not see is not told from one that is not there', async () => {
    const errors = async (name: string) =>
      (await lint(`include: {project: ${name}, file: /ci.yml}`)).errors.join().replace(name, 'it');
    assert.equal(await errors(hidden.full_path), await errors('no/such-project'));
    const exists = async (name: string) => {
      const rule = `{exists: {paths: [ci.yml], project: ${name}}}`;
      const lintResult = await lint(`a: {script: echo, rules: [${rule}]}`, { dry_run: true }, staff.maintainer.token);
      return lintResult.errors.join().replace(name, 'it');
    };
    assert.match(await exists('no/such-project'), /not found or access denied/);
    assert.equal(await exists(hidden.full_path), await exists('no/such-project'));
  });

  test('a masked value does not show, wherever it is put', async () => {
    for (const content of [
      'include: {local: "$SECRET.yml"}',
      'include: {remote: "http://127.0.0.1:9/$SECRET.yml"}',
      'include: {project: "$SECRET/x", file: /ci.yml}',
      'include: {template: "$SECRET.gitlab-ci.yml"}',
      'include: {component: "$SECRET/x/y/z@1"}',
      'include: {local: "$SECRET"}',
      'include: {local: "%SECRET%.yml", rules: [{if: $SECRET}]}',
    ]) {
      const sent = await app.post(path(), { token: staff.developer.token, json: { content } });
      assert.ok(!sent.body.includes(SECRET), content);
      // Of an address inside nothing shows at all.
      assert.ok(sent.body.includes('[MASKED]') || content.includes('remote'), content);
    }
    const rule = 'rules: [{exists: {paths: [x], project: "x/$SECRET"}}]';
    const sent = await app.post(path(), {
      token: staff.maintainer.token,
      json: { content: `a: {script: echo, ${rule}}`, dry_run: true },
    });
    assert.match(sent.body, /project `x\/\[MASKED\]x+` not found/);
  });

  test('variables count for those alone who could start a pipeline that has them', async () => {
    const errors = async (token: string, content: string) => (await lint(content, {}, token)).errors.join();
    assert.match(await errors(staff.developer.token, 'include: "a-$OPEN.yml"'), /a-shown-value\.yml/);
    assert.match(await errors(staff.developer.token, 'include: "a-$GUARDED.yml"'), /`a-\.yml`/);
    assert.match(await errors(staff.maintainer.token, 'include: "a-$GUARDED.yml"'), /a-guarded-value/);
    const anonymous = await app.get(path(), { token: null });
    assert.match(expectStatus<LintAnswer>(anonymous, 200).errors.join(), /`\.yml`/);
  });
});

describe('a configuration at a commit', () => {
  const DETACHED =
    'Could not validate configuration. The configuration originates from an external project or a commit not associated with a Git reference (a detached commit)';
  const leaks = (at: string) => ({ '.gitlab-ci.yml': `include: "${at}-$OPEN-$GUARDED.yml"\n` });
  const linted = async (query: Record<string, string>, token: string | null = staff.maintainer.token) =>
    expectStatus<LintAnswer>(await app.get(path(), { token, query }), 200);
  let git: ProjectGit;
  before(() => {
    git = new ProjectGit(app, project);
  });

  test('that is on no branch or tag is not looked at, for nobody and by no name', async () => {
    const foreign = git.commit('foreign', leaks('foreign'), { start: 'main' });
    git.run(['update-ref', 'refs/merge-requests/1/head', foreign]);
    git.run(['branch', '-D', 'foreign']);
    for (const name of [foreign, foreign.slice(0, 12), `${foreign}~0`, 'refs/merge-requests/1/head']) {
      for (const token of [staff.owner.token, staff.maintainer.token, staff.developer.token, null]) {
        for (const asked of ['content_ref', 'sha']) {
          const lintResult = await linted({ [asked]: name, include_jobs: 'true' }, token);
          assert.deepEqual(lintResult, {
            valid: false,
            errors: [DETACHED],
            warnings: [],
            merged_yaml: null,
            includes: null,
            jobs: [],
          });
        }
      }
      const simulated = await linted({ content_ref: name, dry_run: 'true', dry_run_ref: 'main' });
      assert.deepEqual(simulated.errors, [DETACHED]);
    }
    git.run(['branch', 'taken', foreign]);
    assert.match((await linted({ content_ref: foreign })).errors.join(), /`foreign-shown-value-\.yml`/);
    git.run(['branch', '-D', 'taken']);
    assert.deepEqual((await linted({ content_ref: foreign })).errors, [DETACHED]);
  });

  test('that is on an unprotected branch alone has no variables of protected ones', async () => {
    const inner = git.commit('topic', leaks('topic'), { start: 'main' });
    const tip = git.commit('topic', { 'README.md': 'more\n' });
    for (const name of ['topic', tip, inner, 'topic~1']) {
      assert.match((await linted({ content_ref: name })).errors.join(), /`topic-shown-value-\.yml`/, name);
    }
  });

  test('that is on the default branch has those of this branch', async () => {
    const older = git.commit('main', leaks('main'));
    git.commit('main', { 'README.md': 'more\n' });
    for (const name of ['main', older, 'main~1', 'refs/heads/main']) {
      const { errors } = await linted({ content_ref: name });
      assert.match(errors.join(), /`main-shown-value-guarded-value-of-the-project\.yml`/, name);
    }
  });
});

describe('hostile bodies', () => {
  const json = { 'content-type': 'application/json' };
  const bodies: Record<string, string> = {
    'deep nesting': `{"content":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    'many keys': `{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join()},"content":"a"}`,
    'no end': '{"content":"a',
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(`${name}: refused, anonymously before it is read`, async () => {
      const statuses = [];
      for (const token of [null, staff.developer.token]) {
        statuses.push((await app.post(path(), { token, body, headers: json })).statusCode);
      }
      assert.equal(statuses[0], 401);
      assert.ok([400, 413].includes(statuses[1]!), String(statuses[1]));
    });
  }

  test('a body of 50 MB is too large', async () => {
    const body = `{"content":"${'x'.repeat(50_000_000)}"}`;
    const sent = await app.post(path(), { token: staff.developer.token, body, headers: json });
    assert.equal(sent.statusCode, 413);
  });

  test('names of prototypes are names like others', async () => {
    const body = '{"__proto__":{"dry_run":true},"constructor":{"prototype":{"valid":true}},"content":"a: {script: b}"}';
    const sent = await app.post(path(), { token: staff.developer.token, body, headers: json });
    assert.equal(sent.statusCode, 200);
    for (const content of [
      '__proto__: {valid: true}\na: {script: echo}',
      'constructor: {prototype: {valid: 1}}\na: {script: echo}',
      'a: {script: echo, __proto__: {x: 1}}',
      'variables: {__proto__: x, toString: y}\na: {script: echo, variables: {constructor: z}}',
      'a: {extends: __proto__, script: echo}',
      'a: {extends: constructor, script: echo}',
      'a: {script: !reference [__proto__, x]}',
    ]) {
      await lint(content, { include_jobs: true });
      await lint(content, { include_jobs: true, dry_run: true }, staff.maintainer.token);
    }
    assert.equal(({} as Record<string, unknown>).valid, undefined);
  });
});

describe('hostile configurations end with an error', () => {
  const laughs = `a0: &a0 [x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`).join('\n')}`;
  const jobs = (count: number, of: string) => Array.from({ length: count }, (_, at) => `j${at}: ${of}`).join('\n');
  const configurations: Record<string, string> = {
    'billion laughs': `${laughs}\njob: {script: *a12}`,
    'a reference to itself': 'a: &a {b: *a}\njob: {script: echo}',
    'merges of an empty map': `x: &x {}\njob: {script: echo, <<: [${Array(20_000).fill('*x').join()}]}\nbad: 1`,
    'a megabyte and more': `a: {script: echo}\n# ${'x'.repeat(1_500_000)}`,
    'many jobs': `${jobs(40_000, '{script: a}')}`,
    'a circle of needs': 'a: {script: x, needs: [b]}\nb: {script: x, needs: [a]}',
    'a circle of extends': 'a: {extends: b}\nb: {extends: a}',
    'many generations': `${Array.from({ length: 30 }, (_, at) => `.b${at}: {extends: .b${at + 1}}`).join('\n')}\n.b30: {script: x}\na: {extends: .b0}`,
    'parallel without end': 'a: {script: x, parallel: 1000000000}',
    'a matrix without end': `a: {script: x, parallel: {matrix: [{${Array.from({ length: 8 }, (_, at) => `K${at}: [1,2,3,4,5,6,7,8,9]`).join()}}]}}`,
    'parallel many times': jobs(5_000, '{script: a, parallel: 200}'),
    'deep nesting': `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    'an include of itself': 'include: {local: .gitlab-ci.yml}',
    'a circle of references': 'a: {script: [!reference [b, script]]}\nb: {script: [!reference [a, script]]}',
    'a pattern that is too large': 'a: {script: x, rules: [{if: "$A =~ /((x{1000}){1000}){1000}/"}]}',
  };
  for (const [name, content] of Object.entries(configurations)) {
    test(name, async () => {
      const lintResult = await lint(content, { include_jobs: true });
      assert.equal(lintResult.valid, false);
      assert.ok(lintResult.errors.length > 0 && lintResult.errors.every((text) => text !== '' && text.length < 20_000));
    });
  }

  test('variables that double each other, in a dry run', async () => {
    const bomb = Array.from({ length: 40 }, (_, at) => `  V${at}: $V${at + 1}$V${at + 1}`).join('\n');
    const content = `variables:\n${bomb}\n  V40: xx\na: {script: x, tags: [$V0]}`;
    const lintResult = await lint(content, { dry_run: true }, staff.maintainer.token);
    assert.deepEqual(lintResult.errors, ['a: variables expand to more than 1048576 characters']);
  });

  test('braces that multiply, in a dry run', async () => {
    const content = `a: {script: x}\nb: {script: x, rules: [{exists: ["${'{a,b}'.repeat(40)}"]}]}`;
    const lintResult = await lint(content, { dry_run: true }, staff.maintainer.token);
    assert.equal(lintResult.valid, true);
  });
});

test('one script that many jobs take over is answered for each, out of a share of the memory', async () => {
  const content = `default: {before_script: ["${'x'.repeat(20_000)}"]}\n${Array.from({ length: 500 }, (_, at) => `j${at}: {script: a}`).join('\n')}`;
  const before = app.deps.memory.held;
  const sent = await app.post(path(), { token: staff.developer.token, json: { content, include_jobs: true } });
  assert.equal(expectStatus<LintAnswer & { jobs: unknown[] }>(sent, 200).jobs.length, 500);
  assert.ok(sent.body.length > 10_000_000);
  assert.equal(app.deps.memory.held, before);
});

test('markup in names stays a text of JSON', async () => {
  const content = '"<img src=x onerror=alert(1)>": {script: echo, stage: "<script>alert(1)</script>"}';
  const sent = await app.post(path(), { token: staff.developer.token, json: { content } });
  assert.match(String(sent.headers['content-type']), /^application\/json/);
  assert.equal(sent.headers['x-content-type-options'], 'nosniff');
  assert.match(
    expectStatus<LintAnswer>(sent, 200).errors.join(),
    /chosen stage <script>alert\(1\)<\/script> does not exist/,
  );
});
