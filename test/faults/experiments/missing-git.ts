import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { apiClient } from '../../support/api-client.ts';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, must, projectWithWork } from '../projects.ts';
import { stithy } from '../stithy.ts';
import { readiness, until } from '../until.ts';

const GIT_MISSING = /git cannot be found on the server/;

/** A folder with every program of this machine. @returns the path of git in it */
function programs(folder: string): string {
  mkdirSync(folder);
  for (const from of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of existsSync(from) ? readdirSync(from) : []) {
      if (!existsSync(join(folder, name))) symlinkSync(join(from, name), join(folder, name));
    }
  }
  const git = join(folder, 'git');
  assert.ok(existsSync(git));
  return git;
}

/** Without git the server says so wherever it needs it, and goes on as soon as it is back. */
export default {
  title: 'git taken from PATH while the server runs, missing at a start, and put back',
  engines: ['sqlite'],
  run: async (lab) => {
    const path = join(lab.folder, 'bin');
    const git = programs(path);
    const dataDir = join(lab.folder, 'data');
    const settings = { PATH: path, ...(await lab.newDatabase()) };
    let server = await lab.start(dataDir, settings);
    let call = apiClient(server.url, ROOT_TOKEN);
    const project = await projectWithWork(call, 'p');
    const missing = async (when: string) => {
      await until('readiness tells it', async () => (await readiness(server.url)) === 503);
      let reported = 0;
      for (const [method, path, body] of [
        ['GET', '/repository/archive.tar.gz'],
        ['GET', '/repository/contributors'],
        ['GET', '/repository/compare?from=v1&to=topic'],
        ['POST', '/repository/branches', { branch: `new-${when.length}`, ref: 'main' }],
        ['GET', '/issues'],
      ] as const) {
        const { status, text } = await call(method, `${project.at}${path}`, body);
        assert.ok(status < 300 || status === 503, `${method} ${path}: ${status} ${text}`);
        if (status !== 503) continue;
        assert.match(JSON.parse(text).message, GIT_MISSING);
        reported += 1;
      }
      assert.ok(reported > 0, 'nothing told of it');
      const clone = [
        'clone',
        '--quiet',
        cloneUrl(server.url, project.fullPath, ROOT_TOKEN),
        join(lab.folder, `clone-${when.length}`),
      ];
      const cloned = await runGitClient(lab.folder, clone);
      assert.notEqual(cloned.code, 0);
      assert.match(cloned.stderr, GIT_MISSING);
      lab.say(`without git ${when}: readiness 503, ${reported} answers of 503 that say so, and git's user reads it`);
    };
    const back = async (name: string) => {
      symlinkSync(real, git);
      await until('readiness is true again', async () => (await readiness(server.url)) === 200);
      await commitFile(call, project.at, 'main', name);
      await mustGit(lab.folder, [
        'clone',
        '--quiet',
        cloneUrl(server.url, project.fullPath, ROOT_TOKEN),
        join(lab.folder, name),
      ]);
      assert.equal((await call('GET', `${project.at}/repository/archive.tar.gz`)).status, 200);
    };
    const real = await whereGitIs();
    rmSync(git);
    await missing('running');
    const doctor = await stithy(['doctor'], { STITHY_DATA_DIR: dataDir, PATH: path });
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /git cannot be run: install it, or add it to PATH/);
    await back('again');
    assert.equal(await server.stop(), 0);
    rmSync(git);
    server = await lab.start(dataDir, settings);
    call = apiClient(server.url, ROOT_TOKEN);
    await missing('at a start');
    await back('after');
    await until('what waited for git is done', async () => {
      const events = await must<unknown[]>(call, 'GET', `${project.at}/events?action=pushed`);
      return events.length >= 4;
    });
  },
} satisfies Experiment;

async function whereGitIs(): Promise<string> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return join(folders.find((folder) => existsSync(join(folder, 'git')))!, 'git');
}
