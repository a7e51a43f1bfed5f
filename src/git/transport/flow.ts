import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { GitError } from '../common/index.ts';
import type { GitChild } from '../process/index.ts';

/**
 * Maximum number of bytes that a client may still send after git has refused its push. It reads the reason only after
 * it has sent everything.
 */
const MAX_DISCARDED = 256 * 1024 * 1024;

function ended(stream: Writable): boolean {
  return stream.destroyed || !stream.writable;
}

/** Waits for the first of several events and removes all listeners. */
async function firstOf(stream: Readable | Writable, ...events: string[]): Promise<void> {
  const stop = new AbortController();
  await Promise.race(events.map((event) => once(stream, event, { signal: stop.signal }).catch(() => {})));
  stop.abort();
}

/**
 * Copies a client's data to git with back-pressure. Once git has exited, the data is discarded up to a limit.
 * @param maxBytes maximum number of bytes for git
 * @param look inspects data before git gets it; false stops the copy
 * @throws GitError `invalid` above a limit; errors of the input
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
    // A bidirectional connection stays open after the client's last byte.
    for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (ended(stdin)) discarded += chunk.length;
      else if (!look(chunk)) stdin.end();
      else if (size > maxBytes) throw new GitError('invalid', `the client sent more than ${maxBytes} bytes`);
      else if (!stdin.write(chunk)) await firstOf(stdin, 'drain', 'close');
      if (discarded > MAX_DISCARDED) throw new GitError('invalid', 'the client keeps sending after git has exited');
    }
  } catch (error) {
    input.destroy();
    throw error;
  }
  stdin.end();
}

/**
 * Calls `expire` when no byte has moved between git and the client for a while.
 * @param idleMs timeout in milliseconds
 * @param working whether the server itself is working, during which silence is expected
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
 * Waits for git's first byte, so that an immediate failure of git is an error and not an empty response.
 * @returns false if the stream ends without one
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
