import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { until } from '../until.ts';
import type { World } from './rewound-world.ts';

/** Bytes of a clone after which it is halted: what is left fits into no buffer between server and client. */
const HALT_AT = 1024 * 1024;

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stats?.isFile() === true ? stats.size : 0);
  }, 0);

/**
 * Halts a clone in the middle, does something that cuts it off, and lets it go on: git must tell that it has failed, and
 * another clone must succeed.
 */
export async function cutOffClone(
  { url, large, sshCommand }: World,
  folder: string,
  way: 'http' | 'ssh',
  cut: () => Promise<void>,
): Promise<void> {
  const address = way === 'ssh' ? large.ssh_url_to_repo : cloneUrl(url, large.path_with_namespace, ROOT_TOKEN);
  const to = join(folder, `halted-${way}`);
  const env = { GIT_SSH_COMMAND: sshCommand, GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent', LC_ALL: 'C.UTF-8' };
  const child = spawn('git', ['clone', '-q', '--bare', address, to], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const texts: Buffer[] = [];
  child.stderr.on('data', (text: Buffer) => texts.push(text));
  const ended = once(child, 'close');
  const signal = (name: NodeJS.Signals) => process.kill(-child.pid!, name);
  while (child.exitCode === null && (statSync(to, { throwIfNoEntry: false }) === undefined || bytesIn(to) < HALT_AT))
    await new Promise((resolve) => setTimeout(resolve, 1));
  if (child.exitCode === null) signal('SIGSTOP');
  const isUnderWay = child.exitCode === null;
  try {
    await cut();
  } finally {
    if (isUnderWay) signal('SIGCONT');
  }
  const [code] = (await ended) as [number | null];
  const text = Buffer.concat(texts).toString();
  await rm(to, { recursive: true, force: true });
  assert.ok(isUnderWay, `the clone over ${way} was too quick: ${text}`);
  assert.notEqual(code, 0, `the clone over ${way} did not notice anything`);
  assert.match(text, /early EOF|hung up|RPC failed|invalid index-pack|unexpected disconnect|closed/i);
  await until('another clone succeeds', async () => {
    const again = ['clone', '-q', '--bare', address, to];
    const { code } = await runGitClient(folder, again, '', { GIT_SSH_COMMAND: sshCommand });
    return code === 0;
  });
  await mustGit(to, ['fsck', '--full']);
  await rm(to, { recursive: true });
}
