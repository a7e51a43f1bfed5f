import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { JsonLogger } from '../core/logger.ts';
import { withSourceLines } from '../core/stack-traces.ts';
import { type Running, serve } from '../start.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** No start that was told to stop takes longer to give up, in milliseconds. */
const GIVE_UP_MS = 10_000;

/** `stithy serve`: runs until SIGTERM or SIGINT; a second one ends it at once. */
export async function serveCommand(env: Environment): Promise<number> {
  const { config, warnings } = loadConfig(env);
  // Nothing that is made here is for other users of the machine; git's children take it over.
  process.umask(0o077);
  const log = new JsonLogger(config.logLevel, (text) => process.stdout.write(text));
  for (const warning of warnings) log.log('warn', warning);
  // Some work has failed and nobody was told: it is a fault of the program, and no reason to end it for everybody.
  process.on('unhandledRejection', (reason) => {
    const { message, stack } = reason instanceof Error ? reason : { message: String(reason), stack: undefined };
    log.log('error', 'a failure reached nobody', { error: message, stack: stack && withSourceLines(stack) });
  });
  // Whoever reads the log may leave.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const stop = new AbortController();
  const hurry = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) {
      hurry.abort();
      return;
    }
    log.log('info', 'stopping', { signal });
    stop.abort();
  };
  for (const name of SIGNALS) {
    // In the place of the one that ended the program while it was loaded. Were there none for a moment, a signal that came
    // while modules were loaded, and is told only when the event loop turns, would be lost.
    const early = process.rawListeners(name) as NodeJS.SignalsListener[];
    process.on(name, onSignal);
    for (const listener of early) process.off(name, listener);
  }
  const running = await untilStopped(stop.signal, serve(config, log, { signal: stop.signal }));
  if (running !== null) {
    if (config.storagesFile !== null) process.on('SIGHUP', () => void reload(running, log));
    process.stderr.write(greeting(running, process.uptime()));
    if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    await running.stop(hurry.signal);
  }
  log.flush();
  // Whatever is still held open, such as a connection that does not end, is not waited for.
  process.exit(0);
}

/** Storages are added and taken away while the server runs: their file is read anew. */
async function reload(running: Running, log: JsonLogger): Promise<void> {
  try {
    await running.reloadStorages();
  } catch (error) {
    log.log('error', 'the storages stay as they were', { error: (error as Error).message });
  }
}

/** @returns the running server; null when it was told to stop while it started */
async function untilStopped(signal: AbortSignal, starting: Promise<Running>): Promise<Running | null> {
  const givenUp = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => setTimeout(resolve, GIVE_UP_MS, null).unref(), { once: true });
  });
  try {
    return await Promise.race([starting, givenUp]);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function greeting({ url, deps, firstStart, newToken, ssh }: Running, seconds: number): string {
  const lines = [
    '',
    `  Stithy is ready at ${url} (${seconds.toFixed(2)} s)`,
    `  Data:  ${deps.config.dataDir}`,
    `  API:   ${url}/api/v4   Reference: ${url}/-/api`,
  ];
  if (ssh !== null) {
    const { host, sshExternal } = deps.config;
    const listens = sshExternal === null ? '' : `   Listening on ${host}, port ${ssh.port}`;
    lines.push(`  SSH:   ${deps.sshUrl('<path>.git')}   Host key: ${ssh.fingerprints[0]}${listens}`);
  }
  if (newToken !== null) {
    lines.push(`  Administrator: root, token ${newToken}   (shown this once)`);
  } else if (firstStart) {
    lines.push('  Administrator: root, with the token of STITHY_ROOT_TOKEN');
  }
  const token = newToken ?? '$TOKEN';
  lines.push(`  Try:   curl -H "PRIVATE-TOKEN: ${token}" ${url}/api/v4/user`, '', '');
  return lines.join('\n');
}
