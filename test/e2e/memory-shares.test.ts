import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { acquireSlot } from '../../src/git/process/index.ts';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { makeMergeRequest } from '../support/merge-request.ts';
import { ProjectGit } from '../support/project-git.ts';

const BUDGET = 64 * 1024 * 1024;
let app: TestApp;
let project: Project;
let git: ProjectGit;
/** A number below which no other test asks for the same commits. */
let round = 0;

before(async () => {
  app = await buildTestApp({ settings: { STITHY_MAX_MEMORY: String(BUDGET) } });
  project = await app.make.project({ path: 'garden', visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { a: 'a\n' });
});
after(() => app.close());

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

interface Asked {
  sha: string;
  branch: string;
}

/** A change whose diff nobody has asked for yet. */
function fresh(content = 'new\n'): Asked {
  round += 1;
  const branch = `change-${round}`;
  const start = git.run(['rev-parse', 'main']);
  return { branch, sha: git.commit(branch, { [`b${round}`]: content }, { start }) };
}

const api = () => `/api/v4/projects/${project.id}`;
const urls: Record<string, (asked: Asked) => string | Promise<string>> = {
  'diff of a commit': ({ sha }) => `${api()}/repository/commits/${sha}/diff`,
  comparison: ({ branch }) => `${api()}/repository/compare?from=main&to=${branch}`,
  'raw diff of a merge request': async ({ branch }) => {
    const { iid } = await makeMergeRequest(app, project, { source_branch: branch });
    await app.drain();
    return `${api()}/merge_requests/${iid}/raw_diffs`;
  },
  'commit as a diff': ({ sha }) => `/root%2Fgarden/-/commit/${sha}.diff`,
  'commit as a mail': ({ sha }) => `/root%2Fgarden/-/commit/${sha}.patch`,
  'archive of a commit': ({ sha }) => `${api()}/repository/archive.zip?sha=${sha}`,
  'web archive': ({ branch }) => `/root%2Fgarden/-/archive/${branch}/garden-${branch}.tar.gz`,
  snapshot: () => `${api()}/snapshot`,
};

const get = (url: string) => app.instance.server.app.inject({ url, headers: { 'private-token': ROOT_TOKEN } });

for (const [name, urlOf] of Object.entries(urls)) {
  test(`it waits for memory, and gives it back: ${name}`, async () => {
    const { memory } = app.deps;
    const url = await urlOf(fresh());
    await until(() => memory.held === 0);
    const leave = await memory.take('somebody', { cost: BUDGET });
    let answered = false;
    const answer = get(url).then((response) => {
      answered = true;
      return response;
    });
    await until(() => memory.waiting > 0);
    assert.equal(answered, false);
    leave();
    assert.equal((await answer).statusCode, 200);
    await until(() => memory.held === 0 && app.deps.streams.held === 0);
  });
}

test('a large diff is whole, and what is kept of it takes memory again when it is answered', async () => {
  const { memory } = app.deps;
  const files = Object.fromEntries(
    Array.from({ length: 8 }, (_, n) => [`large/${n}`, `${'x'.repeat(99)}\n`.repeat(1_500)]),
  );
  const start = git.run(['rev-parse', 'main']);
  const sha = git.commit('large', files, { start });
  const url = `/projects/${project.id}/repository/commits/${sha}/diff`;
  const whole = expectStatus<{ diff: string }[]>(await app.get(url), 200);
  assert.deepEqual(
    whole.map(({ diff }) => diff.length > 150_000),
    whole.map(() => true),
  );
  assert.equal(whole.length, 8);
  await until(() => memory.held === 0);
  const leave = await memory.take('somebody', { cost: BUDGET });
  const again = app.get(`${url}?unidiff=true`);
  await until(() => memory.waiting > 0);
  leave();
  expectStatus(await again, 200);
});

test('streams leave half of the memory to all else, and a quarter of it to other callers', async () => {
  const { memory, streams } = app.deps;
  await until(() => memory.held === 0);
  assert.deepEqual([memory.total, streams.total], [BUDGET, BUDGET / 2]);
  const mine = await streams.take('user:1', { cost: BUDGET / 4 });
  const { sha } = fresh();
  const other = await app.make.user();
  const asked = app.get(`/projects/${project.id}/repository/archive.tar?sha=${sha}`, { token: other.token });
  assert.equal((await asked).statusCode, 200);
  mine();
});

test('archives and raw files count against the places of who asked, though they are sent after the handler has ended', async () => {
  const { user, token } = await app.make.user();
  const places = await Promise.all(
    Array.from({ length: 16 }, () => acquireSlot('transport', `${app.deps.start.prefix}user:${user.id}`, undefined)),
  );
  const { sha } = fresh();
  const url = `/projects/${project.id}/repository/archive.tar?sha=${sha}`;
  let answered = false;
  const waiting = app.get(url, { token }).then((response) => {
    answered = true;
    return response;
  });
  assert.equal((await app.get(url)).statusCode, 200);
  assert.equal(answered, false);
  for (const leave of places) leave();
  assert.equal((await waiting).statusCode, 200);
});
