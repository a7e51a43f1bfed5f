import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitEnvironment } from '../../../src/git/process/index.ts';
import { apiClient, type Call } from '../../support/api-client.ts';
import { data } from '../../support/fast-import.ts';
import { cloneUrl, mustGit } from '../../support/git-client.ts';
import { type Random, randomNumbers } from '../../support/random-history.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { must, recordsOf, repositoryDir } from '../projects.ts';
import { until } from '../until.ts';

const COMMITS = 8_000;
const FILES = 300;
/** Milliseconds after the answer to the push; before it the push is cut off, too, and said again. */
const KILLS = [-600, -150, 0, 60, 150, 300, 500, 800, 1_200, 2_000];
/** Right after the start, and once all is indexed. */
const QUESTIONS = 60;
const WHOLE = /^(?:commit-graph-chain|graph-[0-9a-f]+\.(?:graph|paths|stats))$/;

const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', [`--git-dir=${dir}`, ...args], { env: gitEnvironment(), maxBuffer: 1e9 })
    .toString()
    .trim();

/** A history of two lines of work that are merged all the time. */
function makeHistory(dir: string, random: Random): void {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', dir], { env: gitEnvironment() });
  const parts: string[] = [];
  for (let n = 1; n <= COMMITS; n += 1) {
    parts.push(
      `commit refs/heads/main\nmark :${n}\ncommitter A <a@example.com> ${1_700_000_000 + n} +0000\n${data(`${n}`)}\n`,
    );
    if (n > 2) parts.push(`from :${n - 1}\n${n % 7 === 0 ? `merge :${n - 2}\n` : ''}`);
    else if (n === 2) parts.push('from :1\n');
    const file = random(FILES);
    const text = Array.from({ length: 30 }, (_, line) => `${line % 5 === random(5) ? n : file} ${line}\n`).join('');
    parts.push(`M 100644 inline dir-${file % 12}/file-${file}\n${data(text)}\n`);
  }
  execFileSync('git', [`--git-dir=${dir}`, 'fast-import', '--quiet'], { input: parts.join(''), env: gitEnvironment() });
}

/** Asks for files, histories and lines at random, and git the same. */
async function ask(call: Call, at: string, source: string, random: Random): Promise<void> {
  const commits = git(source, 'rev-list', 'main').split('\n');
  for (let n = 0; n < QUESTIONS; n += 1) {
    const ref = commits[random(commits.length)]!;
    const files = git(source, 'ls-tree', '-r', '--name-only', ref).split('\n');
    const path = files[random(files.length)]!;
    const encoded = encodeURIComponent(path);
    const file = await must(call, 'GET', `${at}/repository/files/${encoded}?ref=${ref}`);
    assert.equal(file.last_commit_id, git(source, 'rev-list', '-1', ref, '--', path), `${path} in ${ref}`);
    assert.equal(file.blob_id, git(source, 'rev-parse', `${ref}:${path}`));
    const listed = await must<{ id: string }[]>(
      call,
      'GET',
      `${at}/repository/commits?ref_name=${ref}&path=${encoded}`,
    );
    assert.deepEqual(
      listed.map(({ id }) => id),
      git(source, 'rev-list', '--max-count=20', ref, '--', path).split('\n'),
    );
    const blamed = await must<{ commit: { id: string }; lines: string[] }[]>(
      call,
      'GET',
      `${at}/repository/files/${encoded}/blame?ref=${ref}`,
    );
    const lines = git(source, 'blame', '--line-porcelain', ref, '--', path).split('\n');
    assert.deepEqual(
      blamed.flatMap(({ commit, lines: { length } }) => Array<string>(length).fill(commit.id)),
      lines.filter((line) => /^[0-9a-f]{40} \d+ \d+/.test(line)).map((line) => line.slice(0, 40)),
    );
  }
}

export default {
  title: 'kills while a large first push is indexed: answers are those of git, and the indexes become whole',
  async run(lab) {
    const random = randomNumbers(32);
    const source = join(lab.folder, 'source.git');
    makeHistory(source, random);
    const dataDir = join(lab.folder, 'data');
    const settings = await lab.newDatabase();
    const records = recordsOf(dataDir, settings);
    let cut = 0;
    for (const [nth, moment] of KILLS.entries()) {
      let server = await lab.start(dataDir, settings);
      const made = await must<{ id: number; path_with_namespace: string }>(
        apiClient(server.url, ROOT_TOKEN),
        'POST',
        '/projects',
        { path: `p${nth}` },
      );
      const project = { id: made.id, fullPath: made.path_with_namespace, at: `/projects/${made.id}` };
      const push = () => mustGit(source, ['push', '-q', cloneUrl(server.url, project.fullPath, ROOT_TOKEN), 'main']);
      if (moment < 0) {
        // A push takes longer than this.
        const pushed = push().then(
          () => true,
          () => false,
        );
        await sleep(-moment);
        await server.kill();
        cut += Number(!(await pushed));
      } else {
        await push();
        await sleep(moment);
        await server.kill();
      }
      server = await lab.start(dataDir, settings);
      if (moment < 0) await push();
      const call = apiClient(server.url, ROOT_TOKEN);
      await ask(call, project.at, source, random);
      const folder = join(await repositoryDir(records, dataDir, project), 'objects/info/commit-graphs');
      await until('the indexes are whole, and nothing else is left', async () => {
        const names = readdirSync(folder);
        return (
          names.every((name) => WHOLE.test(name)) &&
          ['.paths', '.stats'].every((end) => names.some((name) => name.endsWith(end)))
        );
      });
      await ask(call, project.at, source, random);
      await server.kill();
    }
    lab.say(
      `${KILLS.length} kills, ${cut} of them during the push; ${KILLS.length * 2 * QUESTIONS * 3} answers were git's`,
    );
  },
} satisfies Experiment;
