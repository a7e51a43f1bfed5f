import { isIP } from 'node:net';
import { GitError } from '../common/index.ts';
import { spawnGit } from '../process/index.ts';
import { RemoteError, type RemoteFailure, remoteFailure } from './remote-error.ts';
import type { RemoteSource } from './remote-source.ts';
import { type SshSession, sshSession } from './remote-ssh.ts';

export interface RemoteOptions {
  gitDir?: string;
  /** Added to the clean environment. */
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Total duration in milliseconds. */
  timeoutMs?: number;
  /** Milliseconds without activity of the other server after which the command is aborted. */
  stallMs?: number;
  /** Written to standard input. */
  input?: Buffer | string;
  /** Receives git's standard output; `false` ends git. */
  onOutput?: (chunk: Buffer) => unknown;
  /** Maximum size in bytes of a written file, which bounds the received pack. */
  fileBytes?: number;
}

/** Result of a command; `hostKeys` is set if a host was seen for the first time. */
export interface RemoteResult {
  failure: RemoteFailure | null;
  hostKeys?: string;
}

const LIMIT_MS = 3_600_000;
/** Fetches and pushes print progress continuously, except while the other side processes received data. */
const STALL_MS = 600_000;
/** Passes credentials to git through an inherited pipe, so that no secret is in arguments, environment or files. */
const CREDENTIALS = '!f() { test "$1" = get && cat <&3; }; f';

/** Settings: no redirects to another host, no proxy, and a limit on idle servers. */
function settings({ url, addresses, user }: RemoteSource): string[] {
  const { hostname, port, protocol } = new URL(url);
  const pinned = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
  const http = protocol === 'http:' || protocol === 'https:';
  return [
    // A literal address in the URL needs no look-up.
    ...(!http || isIP(hostname.replace(/^\[|\]$/g, '')) > 0
      ? []
      : [`http.curloptResolve=${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:${pinned}`]),
    'http.followRedirects=false',
    'http.proxy=',
    'core.gitProxy=none',
    'http.lowSpeedLimit=1',
    'http.lowSpeedTime=60',
    'credential.helper=',
    ...(user === undefined || !http ? [] : [`credential.helper=${CREDENTIALS}`]),
    'fetch.unpackLimit=1',
  ].flatMap((setting) => ['-c', setting]);
}

/** Address for git, with the environment that makes git connect to the checked addresses. */
function connection(source: RemoteSource, ssh: SshSession | null): { url: string; env: Record<string, string> } {
  const url = new URL(source.url);
  const scheme = url.protocol.slice(0, -1);
  const env = { GIT_ALLOW_PROTOCOL: scheme };
  if (ssh !== null) return { url: ssh.url, env: { ...env, ...ssh.env } };
  if (scheme !== 'git') return { url: source.url, env };
  // Git would resolve the name again.
  const host = url.host;
  const [address = ''] = source.addresses;
  const pinned = address.includes(':') ? `[${address}]` : address;
  const port = url.port === '' ? '' : `:${url.port}`;
  return { url: `git://${pinned}${port}${url.pathname}`, env: { ...env, GIT_OVERRIDE_VIRTUAL_HOST: host } };
}

/**
 * Runs a git command against another server. Secrets are passed through a pipe, or to SSH in private files.
 * @param args returns the arguments of git for the address
 * @throws GitError `timeout`, `aborted`, `busy`
 */
export async function runRemote(
  source: RemoteSource,
  args: (url: string) => readonly string[],
  options: RemoteOptions = {},
): Promise<RemoteResult> {
  const ssh = source.url.startsWith('ssh:') ? await sshSession(source, options.gitDir) : null;
  try {
    const { url, env } = connection(source, ssh);
    const { gitDir, signal, timeoutMs = LIMIT_MS, stallMs = STALL_MS, fileBytes, onOutput } = options;
    const git = await spawnGit([...settings(source), ...args(url)], {
      ...(gitDir === undefined ? {} : { gitDir }),
      ...(signal === undefined ? {} : { signal }),
      ...(fileBytes === undefined ? {} : { fileBytes }),
      env: { ...options.env, ...env },
      extraPipes: 1,
      timeoutMs,
      stallMs,
      lane: 'transport',
    });
    const pipe = git.child.stdio[3];
    if (pipe !== null && pipe !== undefined && 'end' in pipe) {
      pipe.on('error', () => {});
      const { user } = source;
      pipe.end(user === undefined || ssh !== null ? '' : `username=${user.name}\npassword=${user.password}\n`);
    }
    git.stdin.end(options.input ?? '');
    let refused = false;
    git.stdout.on('data', (chunk: Buffer) => {
      if (refused || onOutput?.(chunk) !== false) return;
      refused = true;
      git.kill();
    });
    const { code, stderr, killed } = await git.done;
    if (refused) return { failure: 'too_many' };
    if (killed === 'stall') return { failure: 'stalled' };
    if (killed !== null)
      throw new GitError(killed === 'abort' ? 'aborted' : 'timeout', 'git was aborted during a remote operation');
    const hostKeys = await ssh?.newHostKeys();
    return {
      failure: code === 0 ? null : remoteFailure(stderr, code),
      ...(hostKeys === undefined ? {} : { hostKeys }),
    };
  } finally {
    await ssh?.close();
  }
}

/** Like `runRemote`, for a command that must succeed. @throws RemoteError, and errors of `runRemote` */
export async function mustRunRemote(
  source: RemoteSource,
  args: (url: string) => readonly string[],
  options: RemoteOptions = {},
): Promise<string | undefined> {
  const { failure, hostKeys } = await runRemote(source, args, options);
  if (failure !== null) throw new RemoteError(failure);
  return hostKeys;
}
