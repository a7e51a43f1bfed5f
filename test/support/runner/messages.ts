/** A file that a worker shall run. */
export interface Task {
  /** Relative to the root of the checkout. */
  file: string;
  /** Put into the worker's environment while it runs the file. */
  env: Readonly<Record<string, string>>;
  /** Whether no other file may have run in its process. */
  alone?: boolean;
}

/** What a worker is told. */
export interface Order extends Task {
  /** So long may take to go away what the file has left open, in milliseconds. */
  patienceMs: number;
}

/** What a worker says. After a file it says `loaded`, when all its tests have ended, and `quiet`, in any order. */
export type FromWorker =
  /** `ended` is what does not count: a suite, or a test that failed because tests inside it did. */
  | { kind: 'began' | 'ended' | 'passed' | 'skipped'; name: string }
  | { kind: 'failed'; name: string; line: number; text: string }
  /** What failed of the file as a whole, outside its tests. */
  | { kind: 'loaded'; text: string | null }
  /** What the file left behind that it should not have, and how many bytes of JavaScript the process holds by now. */
  | { kind: 'quiet'; text: string | null; heap: number };
