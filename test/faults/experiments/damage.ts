import assert from 'node:assert/strict';
import { join } from 'node:path';
import { apiClient, type Call } from '../../support/api-client.ts';
import { DAMAGES, damageMessage, QUESTIONS } from '../../support/damages.ts';
import { cloneUrl, runGitClient } from '../../support/git-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { type MadeProject, must, projectWithWork, recordsOf, repositoryDir } from '../projects.ts';
import { stithy } from '../stithy.ts';
import { readiness, until } from '../until.ts';

/** What git can still give of it: everything that its HEAD leads to is there. */
const CAN_BE_CLONED = 'a ref without content';
/** A warm server may still know all that a write needs, and the next questions would be about another state. */
const READS = QUESTIONS.filter(([method]) => method === 'GET');
/** The server needs no HEAD for what it is asked. */
const NEVER_REPORTED = 'no HEAD';

/**
 * Asks a damaged project.
 * @param questions some of {@link QUESTIONS}
 * @returns how many answers told of the damage
 */
async function ask(
  call: Call,
  { at, fullPath }: MadeProject,
  name: string,
  questions: typeof QUESTIONS,
): Promise<number> {
  let reported = 0;
  for (const [method, path, body] of questions) {
    const { status, text } = await call(method, `${at}${path}`, body);
    if (status < 400) continue;
    assert.deepEqual([status, JSON.parse(text).message], [500, damageMessage(fullPath)], `${name}: ${method} ${path}`);
    reported += 1;
  }
  return reported;
}

/** Clones, pushes to and forks a damaged project: nobody is given half of it as if it were whole. */
async function copyIt(lab: Lab, url: string, project: MadeProject, name: string): Promise<void> {
  const call = apiClient(url, ROOT_TOKEN);
  const clone = join(lab.folder, `clone-${project.id}`);
  const from = cloneUrl(url, project.fullPath, ROOT_TOKEN);
  const { code } = await runGitClient(lab.folder, ['clone', '--quiet', from, clone]);
  if (name !== CAN_BE_CLONED) assert.notEqual(code, 0, `a clone of ${name}`);
  const fork = await call<{ id: number }>('POST', `${project.at}/fork`, {
    path: `fork-${project.id}`,
    name: `fork-${project.id}`,
  });
  if (fork.status !== 201) {
    assert.deepEqual([fork.status, JSON.parse(fork.text).message], [500, damageMessage(project.fullPath)], name);
    return;
  }
  type Fork = { import_status: string; import_error: string | null };
  const state = () => must<Fork>(call, 'GET', `/projects/${fork.body.id}`);
  await until(`the fork of ${name} ends`, async () => /finished|failed/.test((await state()).import_status));
  const { import_status, import_error } = await state();
  if (import_status === 'failed') assert.match(import_error ?? '', /damaged/, name);
  else await must(call, 'GET', `/projects/${fork.body.id}/repository/files/folder%2Fa.txt?ref=main`);
}

async function othersWork(url: string, sound: MadeProject): Promise<void> {
  const call = apiClient(url, ROOT_TOKEN);
  for (const path of ['/merge_requests?scope=all', '/projects', '/events', '/issues?scope=all']) {
    await must(call, 'GET', path);
  }
  for (const path of ['', '/repository/branches', '/merge_requests/1', '/repository/files/b.txt?ref=topic']) {
    await must(call, 'GET', `${sound.at}${path}`);
  }
  assert.equal(await readiness(url), 200);
}

/** Damage is told with the project's name and stays in it: while the server runs, after a restart, in lists and forks. */
export default {
  title: `${Object.keys(DAMAGES).length} kinds of damage to repositories, under a running server and before a start`,
  run: async (lab) => {
    const dataDir = join(lab.folder, 'data');
    const database = await lab.newDatabase();
    const records = recordsOf(dataDir, database);
    let server = await lab.start(dataDir, database);
    let call = apiClient(server.url, ROOT_TOKEN);
    const sound = await projectWithWork(call, 'sound');
    const broken = new Map<string, MadeProject>();
    for (const [index, name] of Object.keys(DAMAGES).entries()) {
      broken.set(name, await projectWithWork(call, `broken-${index}`));
    }
    const counts = { running: 0, started: 0 };
    for (const [name, project] of broken) {
      // Read before, so that warm readers and caches hold what was sound.
      await must(call, 'GET', `${project.at}/repository/files/folder%2Fa.txt?ref=main`);
      await DAMAGES[name]!(await repositoryDir(records, dataDir, project));
      counts.running += await ask(call, project, name, READS);
      await othersWork(server.url, sound);
    }
    assert.equal(await server.stop(), 0);
    server = await lab.start(dataDir, database);
    call = apiClient(server.url, ROOT_TOKEN);
    for (const [name, project] of broken) {
      const reported = await ask(call, project, name, QUESTIONS);
      if (name !== NEVER_REPORTED) assert.ok(reported > 0, `nothing told of ${name}`);
      counts.started += reported;
      await copyIt(lab, server.url, project, name);
    }
    await othersWork(server.url, sound);
    lab.say(`told with the project's name: ${counts.running} answers while it ran, ${counts.started} after a restart`);
    const { code, stdout } = await stithy(['doctor'], { STITHY_DATA_DIR: dataDir, ...database });
    assert.equal(code, 1, stdout);
    for (const [name, { fullPath }] of broken) assert.ok(stdout.includes(fullPath), `${name}: ${stdout}`);
    assert.ok(!stdout.includes(sound.fullPath), stdout);
    lab.say(`the doctor names all ${broken.size} projects, and no other`);
  },
} satisfies Experiment;
