/** What is to be run, told as one line of JSON. */
export interface StartMessage {
  id: number;
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Its pipes, from 0 on: so many connections begin with its number. */
  pipes: number;
}

/** Bytes that a connection begins with: the number of the child and that of the pipe. The child has what comes after them. */
export const HEAD_BYTES = 5;

/** What a connection begins with. */
export function pipeHead(id: number, pipe: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(id);
  head.writeUInt8(pipe, 4);
  return head;
}

/** Whose connection it is, and which of its pipes. */
export const readPipeHead = (head: Buffer): { id: number; pipe: number } => ({
  id: head.readUInt32LE(),
  pipe: head.readUInt8(4),
});

/** Ends a child and all that it started. */
export interface SignalMessage {
  id: number;
  signal: 'SIGTERM' | 'SIGKILL';
}

/** `cancel` is for one that a pipe is missing of: where it does not run it has failed. */
export type ToSpawner = { start: StartMessage } | { signal: SignalMessage } | { cancel: { id: number } };

/** What became of it: where it connects, that a child runs, that it could not be started, that it ended. */
export type FromSpawner =
  | { listens: string }
  | { started: { id: number; pid: number } }
  | { failed: { id: number; code: string; message: string } }
  | { ended: { id: number; code: number | null; signal: NodeJS.Signals | null } };

/** Calls a function with each whole line that a stream brings, read as JSON. @returns what takes the next piece */
export function lines<T>(onMessage: (message: T) => void): (piece: string) => void {
  let rest = '';
  return (piece) => {
    const parts = (rest + piece).split('\n');
    rest = parts.pop()!;
    for (const part of parts) onMessage(JSON.parse(part) as T);
  };
}
