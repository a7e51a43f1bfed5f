import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../figures.ts';
import { median } from '../git.ts';
import { TOKEN } from '../server.ts';

const ROUNDS = 3;
const LIMIT = 5;

/** 50 projects, 1,000 issues and 100 merge requests, half of them merged. */
const SEED = {
  users: [
    { username: 'ada', tokens: [{ token: 'glpat-of-ada-known' }] },
    { username: 'bob', tokens: [{ token: 'glpat-of-bob-known' }] },
  ],
  groups: [{ path: 'acme', members: ['ada', 'bob'].map((user) => ({ user, access_level: 'maintainer' })) }],
  projects: [
    {
      path: 'project-{n}',
      namespace: 'acme',
      count: 50,
      labels: [{ name: 'bug', color: '#cc0000' }],
      commits: [
        { message: 'Begin', author: 'ada', files: { 'README.md': '# Project', 'src/main.js': 'start();\n' } },
        { message: 'Go on', author: 'bob', files: { 'src/main.js': 'start();\nend();\n' } },
      ],
      issues: [{ title: 'Task {n}', description: 'To do', author: 'bob', labels: ['bug'], count: 20 }],
      merge_requests: [
        { source_branch: 'open', author: 'ada' },
        { source_branch: 'merged', author: 'bob', approved_by: ['ada'], state: 'merged', merged_by: 'ada' },
      ],
    },
  ],
};

const PROGRAM = join(import.meta.dirname, '../../bin/stithy.js');

/** Starts the command. @param env added to the environment */
const stithy = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, STITHY_ROOT_TOKEN: TOKEN, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

async function byCommand(file: string, dataDir: string): Promise<number> {
  const begun = performance.now();
  const command = stithy(['seed', file], { STITHY_DATA_DIR: dataDir });
  command.stdout.resume();
  const [code] = (await once(command, 'close')) as [number];
  if (code !== 0) throw new Error(`the seed ended with ${code}`);
  return (performance.now() - begun) / 1_000;
}

async function untilReady(file: string): Promise<number> {
  const begun = performance.now();
  const server = stithy(['serve', '--ephemeral', '--bench', '--port', '0', '--json', '--seed', file], {});
  const [line] = (await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])) as [unknown];
  if (typeof line === 'number') throw new Error(`the server ended with ${line}`);
  const seconds = (performance.now() - begun) / 1_000;
  server.kill('SIGTERM');
  await once(server, 'exit');
  return seconds;
}

/** How long a large seed takes, from the start of the command: on data that lasts, and on data that goes. */
export async function seeds(folder: string): Promise<Figure[]> {
  const file = join(folder, 'seed.json');
  await writeFile(file, JSON.stringify(SEED));
  const lasting: number[] = [];
  const passing: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const dataDir = join(folder, 'seeded');
    lasting.push(await byCommand(file, dataDir));
    await rm(dataDir, { recursive: true });
    passing.push(await untilReady(file));
  }
  const figure = (how: string, times: readonly number[]): Figure => ({
    name: `seed of 50 projects, 1,000 issues and 100 merge requests, ${how}, s`,
    measured: `${median(times).toFixed(1)} (slowest ${Math.max(...times).toFixed(1)})`,
    value: median(times),
    limit: LIMIT,
    better: 'less',
  });
  return [figure('`stithy seed`', lasting), figure('`serve --ephemeral` until ready', passing)];
}
