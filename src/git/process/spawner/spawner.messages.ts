/** Request to start a child, as one line of JSON. */
export interface StartMessage {
  id: number;
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Number of its pipes, starting at 0: this many connections carry its number. */
  pipes: number;
}

/**
 * Length of a connection's header: the numbers of the child and of the pipe. The rest of the data belongs to the child.
 */
export const HEAD_BYTES = 5;

/** Encodes the header of a connection. */
export function pipeHead(id: number, pipe: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(id);
  head.writeUInt8(pipe, 4);
  return head;
}

/** Decodes the header of a connection. */
export const readPipeHead = (head: Buffer): { id: number; pipe: number } => ({
  id: head.readUInt32LE(),
  pipe: head.readUInt8(4),
});

/** Request to end the process group of a child. */
export interface SignalMessage {
  id: number;
  signal: 'SIGTERM' | 'SIGKILL';
}

/** `cancel` reports a missing pipe: if the child does not run yet, it has failed. */
export type ToSpawner = { start: StartMessage } | { signal: SignalMessage } | { cancel: { id: number } };

/** Events: the address for connections, and a child that runs, failed to start, or ended. */
export type FromSpawner =
  | { listens: string }
  | { started: { id: number; pid: number } }
  | { failed: { id: number; code: string; message: string } }
  | { ended: { id: number; code: number | null; signal: NodeJS.Signals | null } };

/** Splits a stream into lines and passes each one on, parsed as JSON. @returns a function for the next chunk */
export function lines<T>(onMessage: (message: T) => void): (piece: string) => void {
  let rest = '';
  return (piece) => {
    const parts = (rest + piece).split('\n');
    rest = parts.pop()!;
    for (const part of parts) onMessage(JSON.parse(part) as T);
  };
}
