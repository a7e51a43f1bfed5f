import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '../../bin/stithy.js');
const START_TIMEOUT_MS = 300_000;
const MAX_TEXT = 64 * 1024;

export interface ServerOptions {
  /** Launcher of the program; this checkout's when absent. */
  program?: string;
  dataDir: string;
  /** Settings beside the data folder and the free port. */
  settings?: Readonly<Record<string, string>>;
  /** File that the server's log is appended to; dropped when absent. */
  logFile?: string;
  /** What the server is run by, such as a command that changes the user; nothing when absent. */
  by?: readonly string[];
  /** Gets the process at once, before it is ready. */
  onSpawn?: (child: ChildProcess) => void;
}

/** A server in a process of its own, started as an operator starts it. */
export interface ServerProcess {
  /** Address without a trailing slash. */
  url: string;
  child: ChildProcess;
  /** What it wrote to standard error: the greeting. */
  greeting: string;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for the end. @returns the exit code; null when a signal ended it */
  stop(): Promise<number | null>;
}

/**
 * Starts `stithy serve` on a free port of 127.0.0.1 and waits for its greeting.
 * @throws Error with what it printed when it ends, or says nothing, before that
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { program = PROGRAM, dataDir, settings = {}, logFile, by = [] } = options;
  const [command = '', ...args] = [...by, process.execPath, program, 'serve'];
  const child = spawn(command, args, {
    stdio: ['ignore', logFile === undefined ? 'ignore' : 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      STITHY_DATA_DIR: dataDir,
      STITHY_PORT: '0',
      ...settings,
    },
  });
  options.onSpawn?.(child);
  const ended = once(child, 'exit');
  if (logFile !== undefined) child.stdout!.pipe(createWriteStream(logFile, { flags: 'a' }));
  const { url, greeting } = await readGreeting(child);
  const running = () => child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals) => {
    if (running()) child.kill(signal);
    await ended;
    return child.exitCode;
  };
  return {
    url,
    child,
    greeting,
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

/**
 * Runs a server on the embedded database for as long as something uses it. A data folder that is not there is made with all
 * tables: to make them is a third of a start.
 */
export async function whileServing(
  options: ServerOptions,
  use: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const { dataDir } = options;
  if (!existsSync(dataDir)) {
    mkdirSync(dataDir, { mode: 0o700 });
    // Other programs that start servers do not load this.
    const { copyTables } = await import('./databases.ts');
    await copyTables(dataDir);
  }
  const server = await startServer(options);
  try {
    await use(server);
  } finally {
    await server.kill();
  }
}

function readGreeting(child: ChildProcess): Promise<{ url: string; greeting: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`the server ${why}: ${text}`));
    };
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
    const onExit = () => fail('ended before it was ready');
    child.once('exit', onExit);
    child.stderr!.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-MAX_TEXT);
      const url = /ready at (\S+)[\s\S]*Try:.*\n/.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      child.removeListener('exit', onExit);
      resolve({ url, greeting: text });
    });
  });
}
