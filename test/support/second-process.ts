import { JsonLogger } from '../../src/core/logger.ts';
import { open } from '../../src/start.ts';
import { TestApp } from './app.ts';

/** Longer than a connection that is lost, not ended, is away, in milliseconds. */
const GRACE_MS = 10_000;

/** A second process on the database and the storages of an app, as far as one process can stand for it; null on SQLite, which has one. */
export async function secondProcess(app: TestApp): Promise<TestApp | null> {
  const { config, clock } = app.deps;
  if (config.database.kind !== 'postgres') return null;
  const lines: string[] = [];
  const logger = new JsonLogger(config.logLevel, (text) => lines.push(text));
  const instance = await open({ ...config }, logger, clock, false);
  return new TestApp(instance, { logger, lines }, async () => {});
}

/** Ends the connection by which others know that a process lives, as a kill does. */
export const dieAs = (second: TestApp): Promise<void> => second.deps.processes.close();

/** Has an app find out which others are dead, and settle what they left. */
export async function findDead({ deps: { processes } }: TestApp): Promise<void> {
  const now = performance.now();
  await processes.heartbeat(now);
  await processes.heartbeat(now + GRACE_MS);
}
