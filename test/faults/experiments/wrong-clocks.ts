import assert from 'node:assert/strict';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient, type Call } from '../../support/api-client.ts';
import { cloneUrl, mustGit } from '../../support/git-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, type MadeProject, must, projectWithWork, recordsOf, repositoryDir } from '../projects.ts';
import { stithy } from '../stithy.ts';
import { until } from '../until.ts';
import { wrongClock } from '../wrong-clock.ts';

const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;
const PASSWORD = 'a password that is long enough';

/** A merge request that closes an issue, on a branch of that name. @returns whether the issue is closed by now */
async function mergeThatCloses(call: Call, { at }: MadeProject, name: string): Promise<() => Promise<boolean>> {
  const issue = await must<{ iid: number }>(call, 'POST', `${at}/issues`, { title: name });
  await commitFile(call, at, name, `${name}.txt`, 'main');
  const merge = await must<{ iid: number }>(call, 'POST', `${at}/merge_requests`, {
    source_branch: name,
    target_branch: 'main',
    title: name,
    description: `Closes #${issue.iid}`,
  });
  await must(call, 'PUT', `${at}/merge_requests/${merge.iid}/merge`);
  return async () => (await must<{ state: string }>(call, 'GET', `${at}/issues/${issue.iid}`)).state === 'closed';
}

/** What people do: commits, a merge that closes an issue, a push, reads. */
async function work(lab: Lab, url: string, project: MadeProject, name: string): Promise<void> {
  const call = apiClient(url, ROOT_TOKEN);
  const closed = await mergeThatCloses(call, project, name);
  const clone = join(lab.folder, `clone-${name}`);
  await mustGit(lab.folder, ['clone', '--quiet', cloneUrl(url, project.fullPath, ROOT_TOKEN), clone]);
  await mustGit(clone, ['commit', '--quiet', '--allow-empty', '-m', name]);
  await mustGit(clone, ['push', '--quiet', 'origin', `HEAD:refs/heads/pushed-${name}`]);
  for (const path of ['/repository/branches', '/repository/commits', '/merge_requests', '/events']) {
    await must(call, 'GET', `${project.at}${path}`);
  }
  await until(`the merge of ${name} closes its issue`, closed);
}

/** Somebody with a password and a token that ends in thirty days. */
async function somebody(call: Call): Promise<string> {
  const { id } = await must<{ id: number }>(call, 'POST', '/users', {
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    password: PASSWORD,
    skip_confirmation: true,
  });
  const expires_at = new Date(Date.now() + 30 * 24 * 60 * MINUTE).toISOString().slice(0, 10);
  const body = { name: 'month', scopes: ['api'], expires_at };
  return (await must<{ token: string }>(call, 'POST', `/users/${id}/personal_access_tokens`, body)).token;
}

async function signIn(url: string, password: string): Promise<number> {
  const body = new URLSearchParams({ grant_type: 'password', username: 'ada', password });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  await answer.arrayBuffer();
  return answer.status;
}

/** Clocks jump when a machine is set right, wakes up or is moved; nothing that was noted meanwhile lasts. */
export default {
  title: 'clocks that jump a year ahead and back, then a year back and ahead; locks with times to come',
  run: async (lab) => {
    const dataDir = join(lab.folder, 'data');
    const database = await lab.newDatabase();
    const clock = wrongClock(lab);
    const records = recordsOf(dataDir, database);
    const settings = { ...database, ...clock.settings };
    let server = await lab.start(dataDir, settings);
    const { url } = server;
    let call = apiClient(url, ROOT_TOKEN);
    const project = await projectWithWork(call, 'p');
    const token = await somebody(call);
    const withToken = async () => (await apiClient(server.url, token)('GET', '/user')).status;
    assert.equal(await withToken(), 200);

    await clock.set(YEAR);
    const year = new Date().getUTCFullYear() + 1;
    await work(lab, url, project, 'ahead');
    const [latest] = await must<{ created_at: string }[]>(call, 'GET', `${project.at}/issues`);
    assert.equal(new Date(latest!.created_at).getUTCFullYear(), year, 'the clock has not jumped');
    assert.equal(await withToken(), 401, 'a token that is long over');
    for (let n = 0; n < 10; n += 1) assert.notEqual(await signIn(url, 'wrong'), 200);
    assert.equal(await signIn(url, PASSWORD), 429);

    await clock.set(0);
    assert.equal(await withToken(), 200);
    assert.equal(await signIn(url, PASSWORD), 200, 'locked for a year');
    const tokens = await must<{ id: number; last_used_at: string }[]>(call, 'GET', '/personal_access_tokens');
    assert.ok(Date.parse(tokens.find(({ id }) => id === 1)!.last_used_at) < Date.now() + MINUTE);
    const dir = await repositoryDir(records, dataDir, project);
    const locks = ['HEAD.lock', 'packed-refs.lock', 'refs/heads/main.lock', 'config.lock'].map((path) =>
      join(dir, path),
    );
    for (const lock of locks) {
      writeFileSync(lock, '');
      utimesSync(lock, new Date(Date.now() + YEAR), new Date(Date.now() + YEAR));
    }
    await work(lab, url, project, 'back');
    assert.deepEqual(locks.filter(existsSync), []);
    const far = new Date(Date.now() + 100 * 24 * 60 * MINUTE).toISOString();
    const ahead = async () =>
      (await records.query<{ kind: string }>(`select kind from jobs where run_at > '${far}'`)).map(({ kind }) => kind);
    const waiting = await ahead();
    assert.ok(waiting.length > 0, 'no job was put far ahead');
    await clock.set(0, 11 * MINUTE);
    await until('jobs that were put a year ahead are back', async () => (await ahead()).length === 0);
    lab.say(`a year ahead and back: ${waiting.length} jobs (${waiting.join(', ')}) brought back, 4 locks gone`);

    await clock.set(YEAR);
    await mergeThatCloses(call, project, 'killed');
    await server.kill();
    clock.put(0);
    server = await lab.start(dataDir, settings);
    call = apiClient(server.url, ROOT_TOKEN);
    await until('what was left a year ahead is done after the start', async () => {
      const issues = await must<{ title: string; state: string }[]>(call, 'GET', `${project.at}/issues`);
      return issues.find(({ title }) => title === 'killed')?.state === 'closed';
    });
    await until('no job is left a year ahead', async () => (await ahead()).length === 0);
    lab.say('killed a year ahead, started at the right time: what was left is done at once');

    await clock.set(-YEAR);
    await work(lab, server.url, project, 'behind');
    assert.equal(await server.stop(), 0);
    server = await lab.start(dataDir, settings);
    call = apiClient(server.url, ROOT_TOKEN);
    assert.equal(await withToken(), 200);
    await work(lab, server.url, project, 'behind-again');
    await clock.set(0);
    await work(lab, server.url, project, 'right');
    await until('no job hangs', async () => {
      const rows = await records.query(`select id from jobs where state <> 'waiting' or kind like 'event:%'`);
      return rows.length === 0;
    });
    assert.equal(await server.stop(), 0);
    const doctor = await stithy(['doctor'], { STITHY_DATA_DIR: dataDir, ...database });
    assert.equal(doctor.code, 0, doctor.stdout);
    lab.say('a year behind, a start there, and back: all of it works, and the doctor is content');
  },
} satisfies Experiment;
