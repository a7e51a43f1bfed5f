import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import type { TestUser } from '../support/factories.ts';
import { closedAddress, type FileServer, serveFiles } from '../support/file-server.ts';
import { GitUser } from '../support/git-user.ts';
import { ProjectGit } from '../support/project-git.ts';

interface Linted {
  valid: boolean;
  errors: string[];
  merged_yaml: string | null;
  includes: Record<string, unknown>[] | null;
  jobs?: { name: string; script: string[] }[] | null;
}

const REMOTE = 'remote:\n  script: echo remote\n';

/** A pushed configuration that includes from its own repository, another one, a component, a template and a server elsewhere. */
let app: TestApp;
let server: FileServer;
let git: GitUser;
let member: TestUser;
let shared: Project;
let project: Project;
let commit: string;
let sharedCommit: string;
const filesOf = (url: string, integrity: string) => `include:
  - ci/*.yml
  - project: $CI_PROJECT_NAMESPACE/${shared.path}
    ref: stable
    file: [/jobs/one.yml, /jobs/two.yml]
  - component: $CI_SERVER_FQDN/${shared.full_path}/check@v1
    inputs: {job: checked}
  - template: Workflows/Branch-Pipelines.gitlab-ci.yml
  - remote: ${url}
    integrity: ${integrity}
own:
  script: echo own
`;

before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  server = await serveFiles({
    '/remote.yml': REMOTE,
    '/broken.yml': 'a: [',
    '/moved.yml': (_, response) => response.writeHead(302, { location: '/remote.yml' }).end(),
  });
  git = await GitUser.of(app);
  member = await app.make.user();
  const group = await app.make.group({ owner: member.user });
  shared = await app.make.project({ namespace: group });
  project = await app.make.project({ namespace: group });

  const library = await git.tree();
  await git.commit(library, 'jobs/one.yml', 'one:\n  script: echo one\n');
  await git.commit(library, 'jobs/two.yml', 'include: /jobs/three.yml\ntwo:\n  script: echo two\n');
  await git.commit(library, 'jobs/three.yml', 'three:\n  script: echo three\n');
  sharedCommit = await git.commit(
    library,
    'templates/check.yml',
    'spec: {inputs: {job: {}}}\n---\n"$[[ inputs.job ]]": {script: echo check}\n',
  );
  await git.ok(library, 'tag', 'v1');
  await git.ok(library, 'push', git.address(shared), 'main:stable', 'main', 'v1');

  const work = await git.tree();
  const integrity = `sha256-${createHash('sha256').update(REMOTE).digest('base64')}`;
  await git.commit(work, 'ci/build.yml', 'build:\n  script: echo build\n');
  commit = await git.commit(work, '.gitlab-ci.yml', filesOf(`${server.url}/remote.yml`, integrity));
  await git.ok(work, 'push', git.address(project), 'main');
});
after(async () => {
  await server.close();
  await app.close();
});

const path = () => `/projects/${project.id}/ci/lint`;
const lint = async (content: string, token = member.token) =>
  expectStatus<Linted>(await app.post(path(), { token, json: { content, include_jobs: true } }), 200);

describe('includes of all kinds', () => {
  test('the configuration of a project is made whole', async () => {
    const query = { include_jobs: true, dry_run: true };
    const linted = expectStatus<Linted>(await app.get(path(), { token: member.token, query }), 200);
    assert.deepEqual(linted.errors, []);
    assert.deepEqual(
      linted.jobs?.map(({ name, script }) => [name, script.join()]).sort(),
      ['build', 'one', 'own', 'remote', 'three', 'two']
        .map((name) => [name, `echo ${name}`])
        .concat([['checked', 'echo check']])
        .sort(),
    );
    const [local, one, , three] = linted.includes ?? [];
    assert.deepEqual(local, {
      type: 'local',
      location: 'ci/build.yml',
      blob: `${app.deps.externalUrl()}/${project.full_path}/-/blob/${commit}/ci/build.yml`,
      raw: `${app.deps.externalUrl()}/${project.full_path}/-/raw/${commit}/ci/build.yml`,
      extra: {},
      context_project: project.full_path,
      context_sha: commit,
    });
    assert.equal(one?.blob, `${app.deps.externalUrl()}/${shared.full_path}/-/blob/${sharedCommit}/jobs/one.yml`);
    assert.deepEqual(one?.extra, { project: shared.full_path, ref: 'stable' });
    assert.ok(three !== undefined);
    assert.deepEqual(linted.includes?.map(({ type }) => type).sort(), [
      'component',
      'file',
      'file',
      'local',
      'local',
      'remote',
      'template',
    ]);
  });

  test('a file elsewhere may have moved; it may be broken, gone, changed, or its server away', async () => {
    assert.equal((await lint(`include: ${server.url}/moved.yml`)).valid, true);
    const errors = async (url: string) => (await lint(`include: ${url}`)).errors.join();
    assert.match(await errors(`${server.url}/broken.yml`), /did not find expected|broken\.yml/);
    assert.equal(
      await errors(`${server.url}/none.yml`),
      `Remote file \`${server.url}/none.yml\` could not be fetched after 1 attempt because of HTTP code \`404\` error!`,
    );
    const away = `${await closedAddress()}/x.yml`;
    assert.equal(
      await errors(away),
      `Remote file \`${away}\` could not be fetched after 1 attempt because of a socket error!`,
    );
    const wrong = `sha256-${createHash('sha256').update('other').digest('base64')}`;
    const changed = await lint(`include: {remote: "${server.url}/remote.yml", integrity: ${wrong}}`);
    assert.deepEqual(changed.errors, [`Remote file \`${server.url}/remote.yml\` failed integrity check!`]);
    assert.deepEqual([changed.merged_yaml, changed.includes, changed.jobs], [null, null, []]);
  });

  test('a file of another project must be there for whoever asks', async () => {
    const stranger = await app.make.user();
    const alien = await app.make.project({ owner: stranger.user });
    const ask = async (content: string) =>
      expectStatus<Linted>(
        await app.post(`/projects/${alien.id}/ci/lint`, { token: stranger.token, json: { content } }),
        200,
      ).errors;
    assert.deepEqual(await ask(`include: {project: ${shared.full_path}, file: /jobs/one.yml}`), [
      `Project \`${shared.full_path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
    ]);
    const mine = async (entry: string) => (await lint(`include: {project: ${shared.full_path}, ${entry}}`)).errors;
    assert.deepEqual(await mine('file: /none.yml'), [
      `Project \`${shared.full_path}\` file \`none.yml\` does not exist!`,
    ]);
    assert.deepEqual(await mine('ref: nowhere, file: /jobs/one.yml'), [
      `Project \`${shared.full_path}\` reference \`nowhere\` does not exist!`,
    ]);
  });

  test('servers inside are not asked unless the installation lets it', async () => {
    const guarded = await buildTestApp();
    try {
      const made = await guarded.make.project();
      const before = server.asked.length;
      const texts = new Set<string>();
      for (const url of [`${server.url}/remote.yml`, `${await closedAddress()}/remote.yml`]) {
        const sent = await guarded.post(`/projects/${made.id}/ci/lint`, { json: { content: `include: ${url}` } });
        texts.add(expectStatus<Linted>(sent, 200).errors.join().replace(url, 'there'));
      }
      assert.deepEqual(
        [...texts],
        ['Remote file could not be fetched because URL is blocked: Requests to localhost are not allowed!'],
      );
      assert.equal(server.asked.length, before);
    } finally {
      await guarded.close();
    }
  });
});

test('who leaves while a file is fetched ends the fetch, and that is no error of the server', async () => {
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const slow = await serveFiles({
    '/slow.yml': (_, response) => {
      response.on('close', () => ended.resolve());
      asked.resolve();
    },
  });
  try {
    const leaving = new AbortController();
    const waiting = await app.make.project();
    new ProjectGit(app, waiting).commit('main', { '.gitlab-ci.yml': `include: ${slow.url}/slow.yml\n` });
    const headers = { 'private-token': ROOT_TOKEN };
    const url = `${await app.listen()}/api/v4/projects/${waiting.id}/ci/lint`;
    const sent = fetch(url, { headers, signal: leaving.signal });
    await asked.promise;
    leaving.abort();
    await assert.rejects(sent, { name: 'AbortError' });
    await ended.promise;
    assert.equal((await lint('a: {script: echo}')).valid, true);
    assert.ok(!app.logLines.join('').includes('"severity":"ERROR"'));
  } finally {
    await slow.close();
  }
});

test('gitbeaker checks configurations', async () => {
  const api = new Gitlab({ host: await app.listen(), token: member.token });
  const good = await api.Lint.lint(project.id, 'a: {script: echo}', { dryRun: true, includeJobs: true, ref: 'main' });
  assert.equal(good.valid, true);
  assert.deepEqual(
    (good.jobs as { name: string }[]).map(({ name }) => name),
    ['a'],
  );
  const bad = await api.Lint.lint(project.full_path, 'invalid');
  assert.deepEqual([bad.valid, bad.errors], [false, ['Invalid configuration format']]);
  const own = await api.Lint.check(project.id, { includeJobs: true });
  assert.equal(own.valid, true);
});
