import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { GitError } from '../../src/git/common/index.ts';
import { runGit } from '../../src/git/process/index.ts';
import type { RefStore } from '../../src/git/refs/index.ts';
import { type Repository, RepositoryPool } from '../../src/git/repository/index.ts';
import {
  advertise,
  type PushCommands,
  type PushedRef,
  receivePack,
  type TransportSession,
  type UpdateResult,
  uploadPack,
} from '../../src/git/transport/index.ts';
import type { TransportEnd } from '../../src/git/transport/session.ts';
import { WITHOUT_UPKEEP } from './git-client.ts';
import { headOf } from './ref-files.ts';

export interface GitHttpOptions {
  check?(
    updates: readonly PushedRef[],
    context: Omit<PushCommands, 'updates'>,
  ): Promise<{ ok: true; message?: string } | { ok: false; message: string }>;
  update?(
    updates: readonly PushedRef[],
    context: { atomic: boolean; pushOptions: readonly string[] },
  ): Promise<UpdateResult>;
  maxInputBytes?: number;
  maxRefs?: number;
  idleMs?: number;
}

/** One bare repository, served over plain HTTP by the functions of `src/git/transport`. */
export interface GitHttp {
  dir: string;
  repository: Repository;
  url: string;
  /** How the exchanges ended, in their order. */
  ends: TransportEnd[];
  close(): Promise<void>;
}

/** Moves refs one by one, or all or none, as the handlers of the real server do. */
export async function moveRefs(refs: RefStore, updates: readonly PushedRef[], atomic: boolean): Promise<UpdateResult> {
  const apply = async (part: readonly PushedRef[]) => {
    try {
      await refs.transaction(part);
      return null;
    } catch (error) {
      return error instanceof GitError ? `cannot move ref: ${error.code}` : 'failed';
    }
  };
  if (atomic) {
    const reason = await apply(updates);
    return { reasons: updates.map(() => reason) };
  }
  const reasons: (string | null)[] = [];
  for (const update of updates) reasons.push(await apply([update]));
  return { reasons };
}

function exchange(
  repository: Repository,
  options: GitHttpOptions,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<TransportSession> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const header = request.headers['git-protocol'];
  const common = {
    protocol: typeof header === 'string' ? header : undefined,
    signal,
    idleMs: options.idleMs ?? 60_000,
  };
  const service = url.searchParams.get('service');
  if (url.pathname.endsWith('/info/refs')) {
    return advertise(repository, service === 'git-receive-pack' ? 'receive-pack' : 'upload-pack', common);
  }
  const input = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  if (url.pathname.endsWith('/git-upload-pack')) return uploadPack(repository, input, common);
  return receivePack(repository, input, {
    ...common,
    maxInputBytes: options.maxInputBytes ?? 1024 * 1024 * 1024,
    maxRefs: options.maxRefs ?? 10_000,
    receive: async ({ updates, ...context }) => {
      const verdict = (await options.check?.(updates, context)) ?? { ok: true };
      if (!verdict.ok) return verdict;
      const { pushOptions } = context;
      const move = (moved: readonly PushedRef[], atomic: boolean) =>
        options.update?.(moved, { atomic, pushOptions }) ?? moveRefs(repository.refs, moved, atomic);
      return { ...verdict, move };
    },
  });
}

async function answer(
  http: GitHttp,
  options: GitHttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const session = await exchange(http.repository, options, request, gone.signal);
    const name = new URL(request.url ?? '/', http.url);
    const service = name.searchParams.get('service') ?? name.pathname.split('/').at(-1);
    const kind = name.pathname.endsWith('/info/refs') ? 'advertisement' : 'result';
    response.writeHead(200, { 'content-type': `application/x-${service}-${kind}`, 'cache-control': 'no-cache' });
    session.done.then((end) => http.ends.push(end));
    await pipeline(session.output, response);
  } catch (error) {
    if (error instanceof GitError) http.ends.push({ code: -1, stderr: error.message, killed: null, failure: error });
    if (!response.headersSent) response.writeHead(500).end();
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/**
 * Serves a repository on 127.0.0.1.
 * @param options the decisions about pushes; without any, all are taken
 * @param existing folder of a bare repository; without it an empty one is made, and removed at the end
 */
export async function serveGit(options: GitHttpOptions = {}, existing?: string): Promise<GitHttp> {
  const dir = existing ?? mkdtempSync(join(tmpdir(), 'stithy-transport-'));
  if (existing === undefined) await runGit(['init', '--bare', '--quiet', '--initial-branch=main', dir]);
  const pool = new RepositoryPool();
  const server = createServer((request, response) => void answer(http, options, request, response));
  const url = `http://127.0.0.1:${await listen(server)}/r.git`;
  const http: GitHttp = {
    dir,
    repository: pool.get('r', dir),
    url,
    ends: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.close();
      if (existing === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
  return http;
}

const run = promisify(execFile);

export interface ClientResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the git of the machine as a user would, with no configuration but what `args` say; never throws for an exit code. */
export async function git(cwd: string, ...args: string[]): Promise<ClientResult> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    ...WITHOUT_UPKEEP,
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  try {
    const { stdout, stderr } = await run('git', args, { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 120_000 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const failed = error as { code?: number; stdout?: string; stderr?: string };
    return { code: failed.code ?? -1, stdout: failed.stdout ?? '', stderr: failed.stderr ?? String(error) };
  }
}

/** Ids of the processes that run in a folder. */
export function pidsIn(dir: string): number[] {
  const inside = realpathSync(dir);
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(inside) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

/** What git runs for the clients of a repository: processes whose working directory is inside it, the warm ones left out. */
export function processesIn(dir: string): string[] {
  const commands = pidsIn(dir).flatMap((pid) => {
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
    } catch {
      return [];
    }
  });
  return commands.filter((command) => !/\0(?:update-ref|cat-file)\0/.test(command));
}

/** Waits until something is true. The bound only keeps a failed test from waiting for ever. */
export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 3_000) throw new Error(`in vain: ${condition}`);
    await sleep(10);
  }
}

/** Writes a file in a clone and commits it; gives the commit's id. */
export async function commitFile(clone: string, file: string, content: string | Buffer): Promise<string> {
  writeFileSync(join(clone, file), content);
  await git(clone, 'add', '--all');
  const made = await git(clone, 'commit', '--quiet', '--message', `change ${file}`);
  if (made.code !== 0) throw new Error(made.stderr);
  return headOf(clone);
}
