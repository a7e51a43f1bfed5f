/** What is to be run, told as one line of JSON. */
export interface StartMessage {
  id: number;
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Its pipes, from 0 on: so many connections, in the order in which they were made, are its own. */
  pipes: number;
}

/** Ends a child and all that it started. */
export interface SignalMessage {
  id: number;
  signal: 'SIGTERM' | 'SIGKILL';
}

export type ToSpawner = { start: StartMessage } | { signal: SignalMessage };

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
