import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { runGitClient } from '../support/git-client.ts';
import { until } from './until.ts';

/**
 * Git's own server for the repositories of a folder.
 * @param known name of one of them
 * @returns its address, and what ends it
 */
export async function startDaemon(folder: string, known: string): Promise<{ url: string; end: () => void }> {
  const port = await freePort();
  const options = ['--listen=127.0.0.1', `--port=${port}`, '--export-all', '--enable=receive-pack'];
  const program: ChildProcess = spawn('git', ['daemon', '--reuseaddr', ...options, `--base-path=${folder}`, folder], {
    stdio: 'ignore',
  });
  const end = () => void program.kill();
  const url = `git://127.0.0.1:${port}`;
  await until('git daemon answers', async () => (await runGitClient('/', ['ls-remote', `${url}/${known}`])).code === 0);
  return { url, end };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
