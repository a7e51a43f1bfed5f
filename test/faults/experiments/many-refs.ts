import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodePacket, FLUSH } from '../../../src/git/transport/packet-line.ts';
import { apiClient, type Call } from '../../support/api-client.ts';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import type { Experiment } from '../experiment.ts';
import { startDaemon } from '../git-daemon.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { longestTurns } from '../longest-turns.ts';
import { peakMemory } from '../measure.ts';
import { commitFile, must, recordsOf } from '../projects.ts';
import { until } from '../until.ts';

const MANY = 8_000;
/** As many as one push may change. */
const MAX_REFS = 20_000;
const EVERY_MS = 50;
/** What is due so soon is waited for. */
const SOON_MS = 1_000;
/** No turn of the thread that answers requests may take more processor time. */
const MAX_TURN_MS = 150;
/** So many times as long as git's own server, and a little for what is done besides. */
const TIMES = 4;
const BESIDE_MS = 5_000;

/** Refs of the source with what they get, or lose. */
interface Step {
  what: string;
  /** Folder of the refs in the source. */
  from: 'one' | 'two' | 'most';
  /** Where the refs were, in the source. */
  was?: 'one' | 'two';
  to: 'many' | 'most';
  deletes?: true;
}

/** What is pushed, one after the other, to a project that has none of it. */
const STEPS: readonly Step[] = [
  { what: `${MANY} branches made`, from: 'one', to: 'many' },
  { what: `${MANY} branches moved`, from: 'two', was: 'one', to: 'many' },
  { what: `${MANY} branches deleted`, from: 'two', was: 'two', to: 'many', deletes: true },
  { what: `${MAX_REFS} branches made`, from: 'most', to: 'most' },
];

/** A repository with a commit for each ref. */
async function makeSource(dir: string): Promise<void> {
  const parts: string[] = [];
  const commit = (ref: string, mark: number) => {
    parts.push(`commit ${ref}\nmark :${mark}\ncommitter A <a@example.com> ${1_700_000_000 + mark} +0000\ndata 2\nx\n`);
    parts.push('from refs/heads/main\n', `M 100644 inline file-${mark % 100}\ndata 2\nx\n`);
  };
  parts.push('commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 2\nx\n');
  for (let number = 0; number < MAX_REFS; number += 1) commit(`refs/most/b${number}`, number + 1);
  for (let number = 0; number < MANY; number += 1) {
    parts.push(`reset refs/one/b${number}\nfrom :${number + 1}\n`, `reset refs/two/b${number}\nfrom :${number + 2}\n`);
  }
  await mustGit('/', ['init', '-q', '--bare', '--initial-branch=main', dir]);
  await mustGit(dir, ['fast-import', '--quiet'], parts.join(''));
  await mustGit(dir, ['pack-refs', '--all']);
}

/**
 * What a client of git sends to push a step, made by hand: over HTTP git's own looks for each ref among all that it has, which takes it
 * minutes.
 */
async function bodyOf(source: string, { from, was, to, deletes }: Step): Promise<Buffer> {
  const none = '0'.repeat(40);
  const oidsOf = async (folder: string) => {
    const text = await mustGit(source, [
      'for-each-ref',
      '--format=%(objectname) %(refname:lstrip=2)',
      `refs/${folder}/`,
    ]);
    return text.split('\n').map((line) => line.split(' ') as [string, string]);
  };
  const present = new Map((was === undefined ? [] : await oidsOf(was)).map(([oid, name]) => [name, oid]));
  const requested = await oidsOf(from);
  const packets = requested.map(([oid, name], index) => {
    const capabilities = index === 0 ? '\0report-status quiet object-format=sha1' : '';
    return encodePacket(`${present.get(name) ?? none} ${deletes ? none : oid} refs/heads/${to}/${name}${capabilities}`);
  });
  const commands = Buffer.concat([...packets, FLUSH]);
  if (deletes) return commands;
  const revisions = [
    ...requested.map(([oid]) => oid),
    '^refs/heads/main',
    ...[...present.values()].map((oid) => `^${oid}`),
  ];
  const pack = await runGitClient(source, ['pack-objects', '-q', '--revs', '--stdout'], revisions.join('\n'));
  return Buffer.concat([commands, pack.stdout]);
}

/** How many refs were moved, by the report of the server. */
const movedBy = (report: Buffer): number => report.toString('latin1').split('ok refs/').length - 1;

/** Milliseconds of the processor that a process has taken, with its children that have ended (Linux). */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  // In hundredths of a second: utime, stime, cutime, cstime.
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * 10;
}

/** Does something while others ask again and again. @returns the longest wait of each of them, in milliseconds */
async function beside(asks: readonly (() => Promise<unknown>)[], work: () => Promise<void>): Promise<number[]> {
  let isOver = false;
  const others = asks.map(async (ask) => {
    let longest = 0;
    while (!isOver) {
      const begun = performance.now();
      await ask();
      longest = Math.max(longest, performance.now() - begun);
      await sleep(EVERY_MS);
    }
    return Math.round(longest);
  });
  const done = work().finally(() => {
    isOver = true;
  });
  const [waits] = await Promise.all([Promise.all(others), done]);
  return waits;
}

/** Commits a file to another project by a push, again and again. */
async function pusher(folder: string, url: string): Promise<() => Promise<void>> {
  const dir = join(folder, 'other.clone');
  await mustGit('/', ['clone', '-q', url, dir]);
  return async () => {
    await mustGit(dir, ['commit', '-q', '--allow-empty', '-m', 'x']);
    await mustGit(dir, ['push', '-q', 'origin', 'main']);
  };
}

/** A key of the administrator. @returns the arguments by which git uses it */
async function sshKey(call: Call, folder: string): Promise<string[]> {
  const path = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', path]);
  await must(call, 'POST', '/user/keys', { title: 'k', key: readFileSync(`${path}.pub`, 'utf8').trim() });
  const options = ['UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=no', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
  const words = ['ssh', '-F', '/dev/null', '-i', path, ...options.flatMap((option) => ['-o', option])];
  return ['-c', `core.sshCommand=${words.join(' ')}`];
}

/** The same by git's client. */
const wordsOf = ({ from, to, deletes }: Step, url: string): string[] =>
  deletes ? ['--prune', url, `refs/none/*:refs/heads/${to}/*`] : [url, `+refs/${from}/*:refs/heads/${to}/*`];

const receivedByGit = async (dir: string, body: Buffer): Promise<Buffer> =>
  (await runGitClient(dir, ['receive-pack', '--stateless-rpc', '.'], body)).stdout;

async function posted(url: string, body: Buffer): Promise<Buffer> {
  const { origin, pathname, username, password } = new URL(`${url}/git-receive-pack`);
  const answer = await fetch(`${origin}${pathname}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: new Uint8Array(body),
  });
  return Buffer.from(await answer.arrayBuffer());
}

const experiment: Experiment = {
  title: `pushes of ${MANY} and ${MAX_REFS} refs, over HTTP and SSH: done soon, and others hardly wait`,
  async run(lab) {
    const dataDir = join(lab.folder, 'data');
    const database = await lab.newDatabase();
    const turns = longestTurns(lab);
    const server = await lab.start(dataDir, { ...database, ...turns.settings, STITHY_SSH_PORT: '0' });
    const records = recordsOf(dataDir, database);
    const call = apiClient(server.url, ROOT_TOKEN);
    const source = join(lab.folder, 'source.git');
    await makeSource(source);
    const other = await must<{ id: number }>(call, 'POST', '/projects', { path: 'other' });
    await commitFile(call, `/projects/${other.id}`, 'main', 'a.txt');
    const push = await pusher(lab.folder, cloneUrl(server.url, 'root/other', ROOT_TOKEN));
    const daemon = await startDaemon(lab.folder, 'source.git');
    const withKey = await sshKey(call, lab.folder);
    const idle = async () => {
      await until('the jobs have ended', async () => {
        const soon = new Date(Date.now() + SOON_MS).toISOString();
        const rows = await records.query<{ count: number | string }>(
          `select count(*) as count from jobs where state <> 'dead' and recurring = 0 and run_at <= '${soon}'`,
        );
        return Number(rows[0]!.count) === 0;
      });
    };
    const problems: string[] = [];
    try {
      for (const [name, before] of [
        ['http', []],
        ['ssh', withKey],
      ] as const) {
        const project = await must<{ id: number; ssh_url_to_repo: string }>(call, 'POST', '/projects', { path: name });
        const ours = name === 'ssh' ? project.ssh_url_to_repo : cloneUrl(server.url, `root/${name}`, ROOT_TOKEN);
        const dir = join(lab.folder, `${name}.git`);
        await mustGit('/', ['init', '-q', '--bare', '--initial-branch=main', dir]);
        const plain = `${daemon.url}/${name}.git`;
        for (const url of [ours, plain]) await mustGit(source, [...before, 'push', '-q', url, 'main']);
        for (const step of STEPS) {
          const { what } = step;
          await idle();
          const body = name === 'http' ? await bodyOf(source, step) : null;
          const timed = async (url: string) => {
            const begun = performance.now();
            if (body === null) await mustGit(source, [...before, 'push', '-q', ...wordsOf(step, url)]);
            else {
              const report = url === plain ? await receivedByGit(dir, body) : await posted(url, body);
              assert.equal(movedBy(report), step.from === 'most' ? MAX_REFS : MANY, report.toString('latin1', 0, 300));
            }
            return Math.round(performance.now() - begun);
          };
          const git = await timed(plain);
          const from = Date.now();
          const cpu = processorMs(server.child.pid!);
          const asks = [() => must(call, 'GET', '/version'), () => must(call, 'GET', `/projects/${other.id}`), push];
          let ms = 0;
          let all = 0;
          let peak = 0;
          const [version, read, pushed] = await beside(asks, async () => {
            peak = await peakMemory([server.child.pid!], async () => {
              ms = await timed(ours);
              await idle();
              all = Date.now() - from;
            });
          });
          const turn = turns.since(from);
          lab.say(
            `${name}, ${what}: ${ms} ms, git's own ${git} ms; followed after ${all} ms; processor ${processorMs(server.child.pid!) - cpu} ms, ` +
              `at most ${peak} MiB; longest turn ${turn} ms; others waited at most ${version}, ${read} and, to push, ${pushed} ms`,
          );
          if (turn > MAX_TURN_MS) problems.push(`${name}, ${what}: a turn of ${turn} ms`);
          if (ms > TIMES * git + BESIDE_MS) problems.push(`${name}, ${what}: ${ms} ms, git's own ${git} ms`);
        }
      }
    } finally {
      daemon.end();
    }
    assert.deepEqual(problems, []);
  },
};
export default experiment;
