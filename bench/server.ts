import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';

export const TOKEN = 'glpat-bench-token-of-the-root-user';

export interface BenchServer {
  url: string;
  child: ChildProcess;
  /** Seconds from the start of the process until the first API call succeeded. */
  readySeconds: number;
  stop(): Promise<void>;
}

/** Whether the address answers an API call with 200. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { headers: { 'PRIVATE-TOKEN': TOKEN }, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    });
    request.on('error', () => resolve(false));
  });
}

/** One user sends here what limits keep many from. */
async function liftLimits(url: string): Promise<void> {
  const limits = { project_jobs_api_rate_limit: 0, raw_blob_request_limit: 0 };
  const response = await fetch(`${url}/api/v4/application/settings`, {
    method: 'PUT',
    headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify(limits),
  });
  if (!response.ok) throw new Error(`the limits cannot be lifted: ${response.status}`);
  await response.arrayBuffer();
}

/**
 * Starts the server as an operator would, in a process of its own, and waits for its first good answer.
 * @param options of node; with any, the process also takes messages
 * @param env added to the environment
 */
export async function startServer(
  dataDir: string,
  port: number,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const started = performance.now();
  const child = spawn(process.execPath, [...options, 'bin/stithy.js', 'serve'], {
    env: {
      ...process.env,
      STITHY_DATA_DIR: dataDir,
      STITHY_PORT: String(port),
      STITHY_ROOT_TOKEN: TOKEN,
      ...env,
    },
    // As a service has: Linux may share processors out between sessions, and clients are in none of a server's.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', ...(options.length > 0 ? (['ipc'] as const) : [])],
  });
  // Also where the bench itself fails or is told to end: another run would ask it instead of its own.
  const end = () => child.kill('SIGKILL');
  const stop = () => process.exit(1);
  process.once('exit', end).once('SIGINT', stop).once('SIGTERM', stop);
  child.once('exit', () => process.off('exit', end).off('SIGINT', stop).off('SIGTERM', stop));
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(`${url}/api/v4/user`))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const readySeconds = (performance.now() - started) / 1_000;
  await liftLimits(url);
  return {
    url,
    child,
    readySeconds,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Resident memory of a process in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_024;
}

export interface Bare {
  url: string;
  /** Makes it answer these bytes. */
  answer(type: string, body: Buffer): Promise<void>;
  /** Makes it answer as many bytes as these, in turn. */
  answerAll(type: string, sizes: readonly number[]): Promise<void>;
  stop(): void;
}

/** Starts the bare Fastify route. */
export async function startBare(): Promise<Bare> {
  const child = fork(new URL('./bare.ts', import.meta.url));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const sent = async (message: { type: string; body?: string; sizes?: readonly number[] }) => {
    child.send(message);
    await once(child, 'message');
  };
  return {
    url: `http://127.0.0.1:${port}/x`,
    answer: (type, body) => sent({ type, body: body.toString('base64') }),
    answerAll: (type, sizes) => sent({ type, sizes }),
    stop: () => child.disconnect(),
  };
}
