/**
 * What the small process runs that starts git for the server, which would have to copy the tables of all its memory
 * for each. Everybody else imports it for its address alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FromSpawner, lines, type SignalMessage, type StartMessage, type ToSpawner } from './messages.ts';

export const programAddress = import.meta.url;

/** What of a socket no type of Node's tells. */
interface WithHandle {
  readonly _handle?: { setBlocking(on: boolean): void } | null;
}

/** What programs expect of their pipes. Node sees to it for the first three alone. */
function makeBlocking(socket: Socket & WithHandle): void {
  socket._handle?.setBlocking(true);
}

function run(): void {
  const folder = mkdtempSync(join(tmpdir(), 'stithy-spawner-'));
  const waiting: StartMessage[] = [];
  const connections: Socket[] = [];
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
  const start = ({ id, command, args, cwd, env }: StartMessage, pipes: readonly Socket[]) => {
    for (const pipe of pipes) makeBlocking(pipe);
    const child = spawn(command, args, { stdio: [...pipes], cwd, env, detached: true });
    for (const pipe of pipes) pipe.destroy();
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) tell({ failed: { id, code: error.code ?? '', message: error.message } });
    });
    if (child.pid === undefined) return;
    tell({ started: { id, pid: child.pid } });
    children.set(id, child);
    child.on('exit', (code, signal) => {
      children.delete(id);
      tell({ ended: { id, code, signal } });
    });
    const signal = early.get(id);
    if (signal !== undefined) signalGroup(child, signal);
    early.delete(id);
  };
  const startWhatCan = () => {
    while (waiting[0] !== undefined && waiting[0].pipes <= connections.length) {
      const next = waiting.shift()!;
      start(next, connections.splice(0, next.pipes));
    }
  };
  const take = (message: ToSpawner) => {
    if ('start' in message) {
      waiting.push(message.start);
      startWhatCan();
      return;
    }
    const { id, signal } = message.signal;
    const child = children.get(id);
    if (child !== undefined) signalGroup(child, signal);
    else if (waiting.some((one) => one.id === id)) early.set(id, signal);
  };
  const end = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  };
  // The server decides when its children end, and this process ends with the server.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
  process.stdin.setEncoding('utf8').on('data', lines(take)).on('end', end).on('error', end);
  process.stdout.on('error', end);
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    connections.push(socket);
    startWhatCan();
  });
  const listens = join(folder, 's');
  server.listen({ path: listens, backlog: 511 }, () => tell({ listens }));
}

if (process.argv[1] === fileURLToPath(programAddress)) run();
