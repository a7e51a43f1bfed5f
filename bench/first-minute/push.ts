import { rm } from 'node:fs/promises';
import { remoteOf } from '../cold/transfers.ts';
import { gitText, timedGit } from '../git.ts';
import { type BenchServer, TOKEN } from '../server.ts';

/** What is pushed: the default branch as `main`, and the branches that the questions ask for. */
export const REFS = ['refs/heads/main', 'refs/heads/topic-*:refs/heads/topic-*'];

/** Makes an empty project. @returns its id */
export async function createProject(server: BenchServer, path: string): Promise<number> {
  const response = await fetch(`${server.url}/api/v4/projects`, {
    method: 'POST',
    headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ path, name: path, visibility: 'private' }),
  });
  const project = (await response.json()) as { id: number };
  if (response.status !== 201) throw new Error(`POST /projects: ${response.status} ${JSON.stringify(project)}`);
  return project.id;
}

/** Pushes everything as a newcomer does. @returns milliseconds */
export async function pushTo(server: BenchServer, source: string, path: string): Promise<number> {
  return (await timedGit(['--git-dir', source, 'push', '--quiet', remoteOf(server, path), ...REFS])).ms;
}

/** The same push to a repository beside, with the checks that the server makes. @returns milliseconds */
export async function pushToGit(source: string, target: string): Promise<number> {
  await rm(target, { recursive: true, force: true });
  await timedGit(['init', '-q', '--bare', target]);
  for (const [name, value] of [
    ['receive.fsckObjects', 'true'],
    ['core.fsync', 'all'],
  ] as const) {
    await gitText(target, ['config', name, value]);
  }
  const { ms } = await timedGit(['--git-dir', source, 'push', '--quiet', `file://${target}`, ...REFS]);
  await rm(target, { recursive: true, force: true });
  return ms;
}
