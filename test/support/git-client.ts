import { signalGroup, startChild } from '../../src/git/process/index.ts';

export interface GitClientResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** Has git look after no repository by itself: that starts two more processes after each commit, fetch or merge. */
export const WITHOUT_UPKEEP = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
};

const TIMEOUT_MS = 120_000;

const ENVIRONMENT = {
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...WITHOUT_UPKEEP,
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/**
 * Runs the machine's git as a person would, with no configuration but the arguments'; never rejects for an exit code.
 * @param env more of it, or another one: who commits is Ada
 * @param signal ends it with SIGKILL, and all that it has started
 */
export function runGitClient(
  cwd: string,
  args: readonly string[],
  input: string | Buffer = '',
  env: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<GitClientResult> {
  return new Promise((resolve, reject) => {
    const child = startChild({
      ...{ command: 'git', args, cwd, pipes: 3 },
      env: { PATH: process.env.PATH ?? '', ...ENVIRONMENT, ...env },
    });
    const kill = () => signalGroup(child, 'SIGKILL');
    const timer = setTimeout(kill, TIMEOUT_MS);
    signal?.addEventListener('abort', kill);
    if (signal?.aborted) kill();
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin!.on('error', () => {});
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      resolve({ code: code ?? -1, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') });
    });
    child.stdin!.end(input);
  });
}

/** The same for a command that must succeed. @returns its output without the last line feed @throws Error with git's text */
export async function mustGit(cwd: string, args: readonly string[], input: string | Buffer = ''): Promise<string> {
  const { code, stdout, stderr } = await runGitClient(cwd, args, input);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.toString('utf8').replace(/\n$/, '');
}

/** Address of a repository with a token in it. @param url address of the server */
export function cloneUrl(url: string, fullPath: string, token: string): string {
  const address = new URL(`${url}/${fullPath}.git`);
  address.username = 'git';
  address.password = token;
  return address.href;
}
