import { isIP } from 'node:net';
import { GitError } from './errors.ts';
import type { ObjectFormat } from './objects.ts';
import { type GitChild, spawnGit } from './process.ts';
import { isValidBranchName } from './ref-name.ts';
import { makeRepository } from './repository-files.ts';

/** A repository on another server, over HTTP. */
export interface RemoteSource {
  /** Without user and password; `http:` or `https:`. */
  url: string;
  /** Addresses that the host's name stands for: nothing else is connected to. */
  addresses: readonly string[];
  user?: { name: string; password: string };
}

const IMPORT_MS = 3_600_000;
const MAX_LISTING = 64 * 1024 * 1024;
/** Gives git what comes over an inherited pipe, so that no secret is in arguments, environment or files. */
const CREDENTIALS = '!f() { test "$1" = get && cat <&3; }; f';

/** No other protocol, no redirect to another place, no proxy, and an end to servers that send nothing. */
function settings({ url, addresses, user }: RemoteSource): string[] {
  const { hostname, port, protocol } = new URL(url);
  const pinned = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
  return [
    // An address that stands in the URL itself is not looked up.
    ...(isIP(hostname.replace(/^\[|\]$/g, '')) > 0
      ? []
      : [`http.curloptResolve=${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:${pinned}`]),
    'http.followRedirects=false',
    'http.proxy=',
    'http.lowSpeedLimit=1',
    'http.lowSpeedTime=60',
    'credential.helper=',
    ...(user === undefined ? [] : [`credential.helper=${CREDENTIALS}`]),
    'fetch.unpackLimit=1',
  ].flatMap((setting) => ['-c', setting]);
}

async function start(
  source: RemoteSource,
  args: readonly string[],
  options: { gitDir?: string; signal?: AbortSignal },
): Promise<GitChild> {
  const git = await spawnGit([...settings(source), ...args], {
    ...options,
    env: { GIT_ALLOW_PROTOCOL: 'http:https' },
    extraPipes: 1,
    timeoutMs: IMPORT_MS,
    lane: 'transport',
  });
  const pipe = git.child.stdio[3];
  if (pipe !== null && pipe !== undefined && 'end' in pipe) {
    pipe.on('error', () => {});
    const { user } = source;
    pipe.end(user === undefined ? '' : `username=${user.name}\npassword=${user.password}\n`);
  }
  git.stdin.end();
  return git;
}

async function finish(git: GitChild, what: string): Promise<void> {
  const { code, killed } = await git.done;
  if (killed !== null) throw new GitError(killed === 'abort' ? 'aborted' : 'timeout', `git ${what}: stopped`);
  // What git printed may hold the address; the exit code tells enough.
  if (code !== 0) throw new GitError('failed', `git ${what}: failed`, code);
}

interface Listing {
  /** Branch that the other HEAD names; null where it does not say. */
  head: string | null;
  format: ObjectFormat;
  empty: boolean;
}

async function listRemote(source: RemoteSource, signal: AbortSignal | undefined): Promise<Listing> {
  const args = ['ls-remote', '--symref', '--end-of-options', source.url, 'HEAD', 'refs/heads/*'];
  const git = await start(source, args, signal === undefined ? {} : { signal });
  let text = '';
  git.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    if (text.length > MAX_LISTING) git.kill();
  });
  await finish(git, 'ls-remote');
  const head = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(text)?.[1];
  const oid = /^([0-9a-f]+)\trefs\/heads\//m.exec(text)?.[1];
  return {
    head: head === undefined ? null : Buffer.from(head, 'latin1').toString('utf8'),
    format: oid?.length === 64 ? 'sha256' : 'sha1',
    empty: oid === undefined,
  };
}

/**
 * Copies branches and tags of a repository on another server into a new one; objects are checked as they come in, and
 * submodules are not followed. Durable when it fulfils.
 * @param options `defaultBranch`: HEAD where the other server names no valid branch; `signal` stops the copy
 * @throws GitError `conflict` where `to` is there already, `failed` for everything that the other server does wrong,
 *   `timeout`, `aborted`
 */
export async function importRepository(
  source: RemoteSource,
  to: string,
  options: { defaultBranch: string; signal?: AbortSignal },
): Promise<void> {
  const { defaultBranch, signal } = options;
  const { head, format, empty } = await listRemote(source, signal);
  const branch = head !== null && isValidBranchName(head) ? head : defaultBranch;
  await makeRepository(to, {
    head: `ref: refs/heads/${branch}\n`,
    format,
    fill: async (temporary) => {
      if (empty) return;
      const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
      const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
      const args = [...fetch, '--no-recurse-submodules', '--end-of-options', source.url, ...refspecs];
      const git = await start(source, args, { gitDir: temporary, ...(signal === undefined ? {} : { signal }) });
      git.stdout.resume();
      await finish(git, 'fetch');
    },
  });
}
