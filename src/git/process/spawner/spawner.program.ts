/**
 * Main program of the spawner, a small process that starts git for the server. A fork of the server itself would have
 * to copy its page tables. All other modules import it only for its address.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type FromSpawner,
  HEAD_BYTES,
  lines,
  readPipeHead,
  type SignalMessage,
  type StartMessage,
  type ToSpawner,
} from './spawner.messages.ts';

/**
 * Timeout in milliseconds for the pipes of a child. If file descriptors are short, the system closes connections, which
 * the server only notices on those that it reads.
 */
const PIPES_MS = 3_000;

export const programAddress = import.meta.url;

/** Internals of a socket that Node's types omit. */
interface WithHandle {
  readonly _handle?: { setBlocking(on: boolean): void } | null;
}

/** Makes a pipe blocking, as programs expect. Node does so only for the first three. */
function makeBlocking(socket: Socket & WithHandle): void {
  socket._handle?.setBlocking(true);
}

function run(): void {
  const folder = mkdtempSync(join(tmpdir(), 'stithy-spawner-'));
  /** Children with missing pipes. */
  const waiting = new Map<number, StartMessage>();
  /** Pipes of children that do not run yet. They may arrive before the start request. */
  const pipesOf = new Map<number, Map<number, Socket>>();
  const children = new Map<number, ChildProcess>();
  /** Signals for children that are not started yet. */
  const early = new Map<number, SignalMessage['signal']>();
  const tell = (message: FromSpawner) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const signalGroup = (child: ChildProcess, name: SignalMessage['signal']) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      child.kill(name);
    }
  };
  const fail = (id: number, { code, message }: Pick<NodeJS.ErrnoException, 'code' | 'message'>) =>
    tell({ failed: { id, code: code ?? '', message } });
  const spawnWith = ({ command, args, cwd, env }: StartMessage, pipes: readonly Socket[]) => {
    for (const pipe of pipes) makeBlocking(pipe);
    try {
      return spawn(command, args, { stdio: [...pipes], cwd, env, detached: true });
    } finally {
      for (const pipe of pipes) pipe.destroy();
    }
  };
  const start = (message: StartMessage, pipes: readonly Socket[]) => {
    const { id } = message;
    const signal = early.get(id);
    early.delete(id);
    let child: ChildProcess;
    try {
      child = spawnWith(message, pipes);
    } catch (error) {
      fail(id, error as Error);
      return;
    }
    child.on('error', (error) => {
      if (child.pid === undefined) fail(id, error);
    });
    if (child.pid === undefined) return;
    tell({ started: { id, pid: child.pid } });
    children.set(id, child);
    child.on('exit', (code, signal) => {
      children.delete(id);
      tell({ ended: { id, code, signal } });
    });
    if (signal !== undefined) signalGroup(child, signal);
  };
  const startWhereWhole = (id: number) => {
    const message = waiting.get(id);
    const pipes = pipesOf.get(id);
    if (message === undefined || pipes?.size !== message.pipes) return;
    waiting.delete(id);
    pipesOf.delete(id);
    start(
      message,
      [...pipes].sort(([a], [b]) => a - b).map(([, socket]) => socket),
    );
  };
  const enter = (socket: Socket, head: Buffer) => {
    const { id, pipe } = readPipeHead(head);
    const pipes = pipesOf.get(id) ?? new Map<number, Socket>();
    pipesOf.set(id, pipes.set(pipe, socket));
    socket.once('close', () => {
      if (!pipes.delete(pipe) || pipes.size > 0) return;
      if (pipesOf.get(id) === pipes) pipesOf.delete(id);
    });
    startWhereWhole(id);
  };
  const cancel = (id: number) => {
    // A running child continues and notices lost pipes itself.
    if (!waiting.delete(id)) return;
    early.delete(id);
    for (const socket of pipesOf.get(id)?.values() ?? []) socket.destroy();
    fail(id, { code: 'EAGAIN', message: 'a pipe of the child is missing' });
  };
  const take = (message: ToSpawner) => {
    if ('start' in message) {
      const { id } = message.start;
      waiting.set(id, message.start);
      setTimeout(cancel, PIPES_MS, id);
      startWhereWhole(id);
      return;
    }
    if ('cancel' in message) return cancel(message.cancel.id);
    const { id, signal } = message.signal;
    const child = children.get(id);
    if (child !== undefined) signalGroup(child, signal);
    else if (waiting.has(id)) early.set(id, signal);
  };
  const end = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  };
  // The server ends its children, and this process ends with the server.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
  process.stdin.setEncoding('utf8').on('data', lines(take)).on('end', end).on('error', end);
  process.stdout.on('error', end);
  const server = createServer((socket) => {
    let isKnown = false;
    socket.on('error', () => {});
    // The server sends only the header before the child runs, so any further data means that it closed the connection.
    socket.on('readable', () => {
      const head: Buffer | null = socket.read(isKnown ? undefined : HEAD_BYTES);
      if (head === null || isKnown) return;
      isKnown = true;
      enter(socket, head);
    });
  });
  // A connection that cannot be accepted belongs to an unknown waiting child.
  server.on('error', () => {
    for (const id of [...waiting.keys()]) cancel(id);
  });
  const listens = join(folder, 's');
  server.listen({ path: listens, backlog: 511 }, () => tell({ listens }));
}

if (process.argv[1] === fileURLToPath(programAddress)) run();
