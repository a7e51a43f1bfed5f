import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { GitError } from '../git.errors.ts';
import type { GitChild } from '../git.process.ts';

/** What a client may still send to a git that has refused its push: it reads the reason only once it has sent all. */
const MAX_DISCARDED = 256 * 1024 * 1024;

function ended(stream: Writable): boolean {
  return stream.destroyed || !stream.writable;
}

/** Waits for the first of some events, without leaving a listener behind. */
async function firstOf(stream: Readable | Writable, ...events: string[]): Promise<void> {
  const stop = new AbortController();
  await Promise.race(events.map((event) => once(stream, event, { signal: stop.signal }).catch(() => {})));
  stop.abort();
}

/**
 * Copies a client's bytes to git at git's pace; once git has ended it only swallows them, up to a limit.
 * @param maxBytes how many bytes git may be given
 * @param look at what comes, before git gets it; false where git is to get no more
 * @throws GitError `invalid` past a limit; what the input fails with
 */
export async function pipeInput(
  input: Readable,
  stdin: Writable,
  maxBytes: number,
  look: (chunk: Buffer) => boolean = () => true,
): Promise<void> {
  let size = 0;
  let discarded = 0;
  try {
    // A connection that carries both ways outlasts what the client sends.
    for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (ended(stdin)) discarded += chunk.length;
      else if (!look(chunk)) stdin.end();
      else if (size > maxBytes) throw new GitError('invalid', `the client sent more than ${maxBytes} bytes`);
      else if (!stdin.write(chunk)) await firstOf(stdin, 'drain', 'close');
      if (discarded > MAX_DISCARDED)
        throw new GitError('invalid', 'the client goes on sending to a git that has ended');
    }
  } catch (error) {
    input.destroy();
    throw error;
  }
  stdin.end();
}

/**
 * Calls `expire` when no byte has moved between git and the client for a while.
 * @param idleMs how long, in milliseconds
 * @param working whether the server itself is at work, during which silence is no fault
 */
export function watchIdle(git: GitChild, idleMs: number, working: () => boolean, expire: () => void): void {
  const moved = () => [git.stdin, git.stdout].map((s) => (s instanceof Socket ? s.bytesRead + s.bytesWritten : 0));
  let last = '';
  let since = performance.now();
  const look = () => {
    const now = moved().join();
    if (now !== last || working()) {
      last = now;
      since = performance.now();
    } else if (performance.now() - since >= idleMs) {
      clearInterval(timer);
      expire();
    }
  };
  const timer = setInterval(look, Math.max(10, Math.min(15_000, idleMs / 4)));
  timer.unref();
  git.child.once('exit', () => clearInterval(timer));
}

/**
 * Waits for git's first byte, so that a git which fails at once is an error and not an empty answer.
 * @returns false when the stream ends without one
 */
export async function firstByte(stdout: Readable): Promise<boolean> {
  for (;;) {
    const chunk: Buffer | null = stdout.read();
    if (chunk !== null) {
      stdout.unshift(chunk);
      return true;
    }
    if (stdout.readableEnded || stdout.destroyed) return false;
    await firstOf(stdout, 'readable', 'end', 'close');
  }
}
