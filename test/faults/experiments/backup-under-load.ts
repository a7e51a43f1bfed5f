import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';

const PROJECTS = 3;
const BACKUPS = 4;
const PROGRAM = resolve(import.meta.dirname, '../../../bin/stithy.js');

type Settings = Record<string, string>;

/** Something acknowledged: a commit that a branch of a project must have. */
interface Acknowledged {
  project: number;
  branch: string;
  sha: string;
}

function stithy(args: string[], settings: Settings): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '', ...settings };
  return new Promise((done) => {
    execFile(process.execPath, [PROGRAM, ...args], { env, timeout: 300_000 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
    });
  });
}

/** Calls the API; null when the server is not there or says no. */
async function call<T>(url: string, method: string, path: string, body?: unknown): Promise<T | null> {
  try {
    const response = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return response.ok ? (JSON.parse(text || 'null') as T) : null;
  } catch {
    return null;
  }
}

/** Writes to one project until it is told to stop: branches, commits, merge requests, merges, removed branches. */
async function write(url: () => string, project: number, done: Acknowledged[], going: () => boolean): Promise<void> {
  const path = `/projects/${project}`;
  for (let round = 0; going(); round += 1) {
    const branch = `topic-${round}`;
    const commit = async (name: string, extra: object) => {
      const actions = [{ action: 'create', file_path: `${name}.txt`, content: name }];
      const body = { branch, commit_message: name, actions, ...extra };
      const made = await call<{ id: string }>(url(), 'POST', `${path}/repository/commits`, body);
      if (made !== null) done.push({ project, branch, sha: made.id });
      return made;
    };
    if ((await commit(`a-${round}`, { start_branch: 'main' })) === null) {
      await sleep(50);
      continue;
    }
    const body = { source_branch: branch, target_branch: 'main', title: branch };
    const opened = await call<{ iid: number }>(url(), 'POST', `${path}/merge_requests`, body);
    await commit(`b-${round}`, {});
    if (opened === null || round % 3 === 0) continue;
    const merged = await call<{ merge_commit_sha: string }>(
      url(),
      'PUT',
      `${path}/merge_requests/${opened.iid}/merge`,
      {},
    );
    if (merged !== null) done.push({ project, branch: 'main', sha: merged.merge_commit_sha });
  }
}

async function look(lab: Lab, url: string, before: readonly Acknowledged[], name: string): Promise<void> {
  for (let project = 1; project <= PROJECTS; project += 1) {
    for (let page = 1; page <= 20; page += 1) {
      const query = `state=opened&per_page=100&page=${page}`;
      const rows = await call<{ iid: number; sha: string; source_branch: string }[]>(
        url,
        'GET',
        `/projects/${project}/merge_requests?${query}`,
      );
      assert.notEqual(rows, null);
      for (const { iid, sha, source_branch } of rows!) {
        const branch = await call<{ commit: { id: string } }>(
          url,
          'GET',
          `/projects/${project}/repository/branches/${source_branch}`,
        );
        assert.equal(branch?.commit.id, sha, `${name}: !${iid} of project ${project}`);
      }
      if (rows!.length < 100) break;
    }
  }
  for (const { project, branch, sha } of before) {
    const path = `/projects/${project}/repository/commits/${sha}/refs?type=branch&per_page=100`;
    const refs = await call<{ name: string }[]>(url, 'GET', path);
    assert.ok(refs !== null && refs.length > 0, `${name}: ${sha} of ${branch} in project ${project} is lost`);
  }
  lab.say(`${name}: ${before.length} acknowledged writes are there, all open merge requests agree`);
}

const experiment: Experiment = {
  title: 'back up under full load, with a killed backup and a killed server, restore every copy',
  run: async (lab) => {
    const dataDir = join(lab.folder, 'data');
    const folder = join(lab.folder, 'backups');
    const database = await lab.newDatabase();
    let server = await lab.start(dataDir, database);
    const settings: Settings = { STITHY_DATA_DIR: dataDir, ...database };
    for (let index = 0; index < PROJECTS; index += 1) {
      const made = await call(server.url, 'POST', '/projects', { name: `p${index}`, initialize_with_readme: true });
      assert.notEqual(made, null);
    }
    const done: Acknowledged[] = [];
    let going = true;
    const url = () => server.url;
    const writers = Array.from({ length: PROJECTS * 2 }, (_, index) =>
      write(url, (index % PROJECTS) + 1, done, () => going),
    );
    const before = new Map<string, Acknowledged[]>();
    try {
      await sleep(2_000);
      for (let index = 0; index < BACKUPS; index += 1) {
        const acknowledged = [...done];
        if (index === 1) {
          const cut = spawn(process.execPath, [PROGRAM, 'backup', folder], {
            env: { PATH: process.env.PATH ?? '', ...settings },
            stdio: 'ignore',
          });
          await sleep(700);
          cut.kill('SIGKILL');
        }
        const making = stithy(['backup', folder], settings);
        if (index === 2) {
          await sleep(500);
          await server.kill();
          server = await lab.start(dataDir, database);
        }
        const { code, output } = await making;
        assert.equal(code, 0, output);
        const name = /^Backup (\S+) /m.exec(output)![1]!;
        before.set(name, acknowledged);
        lab.say(output.split('\n')[1]!.trim());
      }
    } finally {
      going = false;
      await Promise.all(writers);
    }
    await server.stop();
    for (const [name, acknowledged] of before) {
      const copy: Settings = { STITHY_DATA_DIR: join(lab.folder, `copy-${name}`), ...(await lab.newDatabase()) };
      const restored = await stithy(['restore', folder, '--at', name], copy);
      assert.equal(restored.code, 0, restored.output);
      const { STITHY_DATA_DIR: copyDir, ...rest } = copy;
      const opened = await lab.start(copyDir!, rest);
      await look(lab, opened.url, acknowledged, name);
      await opened.stop();
      const doctor = await stithy(['doctor'], copy);
      assert.equal(doctor.code, 0, doctor.output);
    }
  },
};

export default experiment;
