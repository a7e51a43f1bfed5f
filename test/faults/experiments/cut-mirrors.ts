import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitEnvironment } from '../../../src/git/process/index.ts';
import { data } from '../../support/fast-import.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { until } from '../until.ts';

const BRANCHES = 500;
const ON_MAIN = 5_000;
const ON_BRANCH = 10;
/** Milliseconds after an update was asked for. */
const KILLS = [30, 80, 150, 250, 400, 700, 1_100, 1_800];

type Json = Record<string, unknown>;

/** A bare repository with many commits and branches, which git's own server offers. */
class Source {
  readonly dir: string;
  #time = 1_700_000_000;
  #daemon: ChildProcess | undefined;
  /** Times that somebody asked for its refs or objects. */
  asked = 0;

  constructor(dir: string) {
    this.dir = dir;
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', dir], { env: gitEnvironment() });
  }

  git(...args: string[]): string {
    return execFileSync('git', [`--git-dir=${this.dir}`, ...args], {
      env: gitEnvironment(),
      maxBuffer: 1e9,
    }).toString();
  }

  /** Makes branches of so many new commits, on top of a commit where one is given. */
  commit(branches: readonly string[], count: number, from?: string): void {
    const lines = branches.flatMap((branch) => {
      const start = from === undefined ? [] : [`reset refs/heads/${branch}`, `from ${from}`, ''];
      const commits = Array.from({ length: count }, (_, index) => [
        `commit refs/heads/${branch}`,
        `committer Bob <bob@example.com> ${++this.#time} +0000`,
        data(`${index} on ${branch}\n`),
        `M 100644 inline f${index % 50}`,
        data(`${Math.random()}\n`.repeat(5)),
      ]);
      return [...start, ...commits.flat()];
    });
    execFileSync('git', [`--git-dir=${this.dir}`, 'fast-import', '--quiet', '--force'], {
      input: `${lines.join('\n')}\ndone\n`,
      env: gitEnvironment(),
    });
  }

  /** Serves it. @returns its address */
  async serve(folder: string): Promise<string> {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const args = [
      'daemon',
      '--verbose',
      '--listen=127.0.0.1',
      `--port=${port}`,
      '--export-all',
      `--base-path=${folder}`,
    ];
    const daemon = spawn('git', args, { env: gitEnvironment(), stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    this.#daemon = daemon;
    daemon.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.asked += text.split('Request upload-pack').length - 1;
    });
    await once(daemon.stderr, 'data');
    return `git://127.0.0.1:${port}/source.git`;
  }

  end(): void {
    if (this.#daemon?.pid !== undefined) process.kill(-this.#daemon.pid, 'SIGKILL');
  }
}

async function call<T = Json>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null') as T;
}

const refsOf = (git: (...args: string[]) => string) =>
  git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags');

const experiment: Experiment = {
  title: 'kill the server while it mirrors 10,000 commits on 500 branches, forced updates among them',
  run: async (lab) => {
    const dataDir = join(lab.folder, 'data');
    const settings = { ...(await lab.newDatabase()), STITHY_ALLOW_LOCAL_NETWORK: 'true' };
    const source = new Source(join(lab.folder, 'source.git'));
    const names = Array.from({ length: BRANCHES - 1 }, (_, index) => `topic/${index}`);
    source.commit(['main'], ON_MAIN);
    source.commit(names, ON_BRANCH, source.git('rev-parse', 'main').trim());
    source.git('tag', 'v1', 'main');
    const address = await source.serve(lab.folder);
    let server = await lab.start(dataDir, settings);
    try {
      const { id } = await call<{ id: number }>(server.url, 'POST', '/projects', { name: 'copy' });
      const path = `/projects/${id}/mirror/pull`;
      const finished = async () => {
        const from = Date.now();
        await until('the mirror is up to date', async () => {
          const { update_status, last_error } = await call(server.url, 'GET', path);
          assert.equal(last_error, null);
          return update_status === 'finished';
        });
        return Date.now() - from;
      };
      /** Branches deleted on the other side: mirrors keep them. */
      const deleted = new Map<string, string>();
      const same = async (when: string) => {
        const { web_url } = await call<{ web_url: string }>(server.url, 'GET', `/projects/${id}`);
        const clone = `${web_url.replace('//', `//root:${ROOT_TOKEN}@`)}.git`;
        const there = execFileSync('git', ['ls-remote', '--refs', '--heads', '--tags', clone], {
          env: gitEnvironment(),
        });
        const text = there.toString().replaceAll('\t', ' ');
        const expected = [
          ...refsOf((...args) => source.git(...args))
            .trimEnd()
            .split('\n'),
          ...deleted.values(),
        ];
        assert.deepEqual(text.trimEnd().split('\n').sort(), expected.sort(), when);
      };
      const json = { enabled: true, url: address, mirror_overwrites_diverged_branches: true };
      await call(server.url, 'PUT', path, json);
      for (const [round, moment] of KILLS.entries()) {
        await sleep(moment);
        await server.kill();
        server = await lab.start(dataDir, settings);
        // The first kills are all of the first fetch; then the other side changes between them.
        if (round < 4) continue;
        await finished();
        await same(`after kill ${round}`);
        const at = round * 40;
        source.commit(names.slice(at, at + 100), 3, source.git('rev-parse', `main~${round * 10}`).trim());
        for (const name of names.slice(at, at + 100)) deleted.delete(name);
        source.commit(['main'], 20, source.git('rev-parse', 'main').trim());
        for (const gone of names.slice(at + 100, at + 110)) {
          deleted.set(gone, `${source.git('rev-parse', gone).trim()} refs/heads/${gone}`);
          source.git('update-ref', '-d', `refs/heads/${gone}`);
        }
        source.commit([`new/${round}/a`, `new/${round}/b`], 2, source.git('rev-parse', 'main').trim());
        source.git('tag', '--force', 'v1', 'main');
        await call(server.url, 'POST', path);
      }
      const ms = await finished();
      await same('at the end');
      const commits = source.git('rev-list', '--all', '--count').trim();
      lab.say(`${KILLS.length} kills; ${commits} commits, equal ref by ref; the last update was waited ${ms} ms for`);
      const before = source.asked;
      await call(server.url, 'POST', path);
      await finished();
      assert.equal(source.asked - before, 1, 'an update with nothing new is one ls-remote');
      lab.say('an update with nothing new asked the other side once');
    } finally {
      source.end();
    }
    await server.stop();
  },
};

export default experiment;
