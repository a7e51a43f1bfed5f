import type { ServerProcess } from '../support/server-process.ts';

export type Engine = 'sqlite' | 'postgres';

/** What an experiment works with. Everything that it starts here is ended after it. */
export interface Lab {
  engine: Engine;
  /** A folder of its own, removed after it unless it fails. */
  folder: string;
  /** Settings of a server on a new database: none for SQLite, which lies in the data folder. */
  newDatabase(): Promise<Record<string, string>>;
  /**
   * Starts a server on a free port.
   * @param by what it is run by, such as a command that changes the user
   * @throws Error with what it printed when it ends before it is ready
   */
  start(dataDir: string, settings?: Record<string, string>, by?: readonly string[]): Promise<ServerProcess>;
  /**
   * Starts a server and kills it while it starts, or soon after.
   * @param moment milliseconds from its start
   * @returns whether it was ready by then
   */
  startAndKill(dataDir: string, moment: number, settings?: Record<string, string>): Promise<boolean>;
  /** Says what was done and seen; shown under the experiment's name. */
  say(text: string): void;
}

/** One fault, caused on purpose, and what must hold all the same; each is the default export of a file in experiments/. */
export interface Experiment {
  /** What is done, in one line. */
  title: string;
  /** The databases that it is about; both when absent. */
  engines?: readonly Engine[];
  /** Milliseconds after which it is given up; half an hour when absent. */
  maxMs?: number;
  /** @throws AssertionError when something does not hold */
  run(lab: Lab): Promise<void>;
}
