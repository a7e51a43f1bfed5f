import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { apiClient } from '../../support/api-client.ts';
import { cloneUrl, mustGit } from '../../support/git-client.ts';
import { type BusySession, beside } from '../busy-programs.ts';
import type { Experiment } from '../experiment.ts';
import { startDaemon } from '../git-daemon.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { must, recordsOf } from '../projects.ts';
import { until } from '../until.ts';

const PROGRAMS = 5;
const ROUNDS = 3;
const SESSIONS = { own: 'busy programs in sessions of their own', same: 'busy programs in the same session' };
/** So many times as long as with plain git. */
const MAX_FACTOR = 3;
/** Some 36 MB once they are packed: of each commit a tree and some files that cannot be packed well. */
const COMMITS = 600;
const FILES = 6;
const FILE_BYTES = 10_000;

/** A repository with a history, made by one git. */
async function makeHistory(dir: string): Promise<void> {
  const parts: string[] = [];
  for (let commit = 0; commit < COMMITS; commit += 1) {
    parts.push(`commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + commit} +0000\ndata 2\nx\n`);
    for (let file = 0; file < FILES; file += 1) {
      const text = randomBytes(FILE_BYTES).toString('base64');
      parts.push(`M 100644 inline folder-${commit % 40}/file-${file}.txt\ndata ${text.length}\n${text}\n`);
    }
  }
  await mustGit('/', ['init', '-q', '--bare', '--initial-branch=main', dir]);
  await mustGit(dir, ['fast-import', '--quiet'], parts.join(''));
}

const experiment: Experiment = {
  title: `${PROGRAMS} busy programs beside the server: pushes and clones take no more than ${MAX_FACTOR} times as long as with plain git`,
  async run(lab) {
    const dataDir = join(lab.folder, 'data');
    const settings = await lab.newDatabase();
    const server = await lab.start(dataDir, settings);
    const call = apiClient(server.url, ROOT_TOKEN);
    const source = join(lab.folder, 'source.git');
    await makeHistory(source);
    const daemon = await startDaemon(lab.folder, 'source.git');
    const clone = async (from: string, ...options: string[]) => {
      const to = join(lab.folder, 'clone');
      await mustGit('/', ['clone', '-q', '--bare', ...options, from, to]);
      await rm(to, { recursive: true, force: true });
    };
    const measure = async (session: BusySession) => {
      const times = new Map<string, number[]>();
      const timed = async (name: string, work: () => Promise<unknown>) => {
        const begun = performance.now();
        await work();
        times.set(name, [...(times.get(name) ?? []), performance.now() - begun]);
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `${session}-${round}`;
        await must(call, 'POST', '/projects', { name });
        await mustGit('/', ['init', '-q', '--bare', '--initial-branch=main', join(lab.folder, `${name}.git`)]);
        const ours = cloneUrl(server.url, `root/${name}`, ROOT_TOKEN);
        const plain = `${daemon.url}/${name}.git`;
        const sides = [
          ['plain', plain],
          ['ours', ours],
        ] as const;
        const order = round % 2 === 0 ? sides : sides.toReversed();
        for (const [side, url] of order) {
          await timed(`push ${side}`, () => mustGit(source, ['push', '-q', url, 'main']));
        }
        for (const [side, url] of order) await timed(`clone ${side}`, () => clone(url));
        for (const [side, url] of order) await timed(`clone of depth 1 ${side}`, () => clone(url, '--depth=1'));
      }
      // Upkeep goes behind all else, and still ends.
      await must(call, 'POST', `/projects/root%2F${session}-0/housekeeping`);
      const records = recordsOf(dataDir, settings);
      await until('upkeep has ended', async () => {
        const left = await records.query<{ state: string }>(
          "select state from jobs where kind in ('maintain-repository')",
        );
        assert.ok(!left.some(({ state }) => state === 'dead'));
        return left.length === 0;
      });
      for (const what of ['push', 'clone', 'clone of depth 1']) {
        const [ours, plain] = [`${what} ours`, `${what} plain`].map((name) => sumOf(times.get(name)!));
        const ratio = ours! / plain!;
        const [oursS, plainS] = ['ours', 'plain'].map((side) => seconds(times.get(`${what} ${side}`)!));
        lab.say(`${SESSIONS[session]}: ${what}: ${oursS} s, plain git ${plainS} s`);
        assert.ok(ratio <= MAX_FACTOR, `${what} took ${ratio.toFixed(1)} times as long`);
      }
    };
    try {
      for (const session of Object.keys(SESSIONS) as BusySession[])
        await beside(PROGRAMS, () => measure(session), session);
    } finally {
      daemon.end();
    }
  },
};
export default experiment;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const seconds = (values: readonly number[]): string => values.map((ms) => (ms / 1_000).toFixed(1)).join(' ');
