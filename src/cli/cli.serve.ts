import { loadConfig } from '../config/config.ts';
import { ConfigError, type Environment } from '../config/env.ts';
import { FLAG_OPTIONS, flagsHelp, namingFlags, withFlags } from '../config/flags.ts';
import { JsonLogger } from '../core/logger.ts';
import { withSourceLines } from '../core/stack-traces.ts';
import type { Running } from '../start.ts';
import { parseOptions, printsHelp } from './command.ts';
import { readyLine, writeReadyFile } from './ready.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Milliseconds after which a start that was told to stop is abandoned. */
const GIVE_UP_MS = 10_000;

const HELP = `Usage: stithy serve [options]

Runs the server until SIGTERM or SIGINT. A second signal cuts off requests and jobs in flight. SIGHUP reads
STITHY_STORAGES_FILE again. Settings come from STITHY_* variables, see docs/operating.md; these options take precedence:

${flagsHelp()}
For programs that start it:

  --json             prints one line when it is ready: {"url", "token", "ssh", "pid"}; the log goes to standard error
  --ready-file FILE  writes this line to a file when it is ready, and removes the file at the end
`;

const OPTIONS = { ...FLAG_OPTIONS, json: { type: 'boolean' }, 'ready-file': { type: 'string' } } as const;

/** @throws ConfigError naming the flag, where one gave the value */
function configOf(env: Environment, values: Readonly<Record<string, unknown>>): ReturnType<typeof loadConfig> {
  try {
    return loadConfig(withFlags(env, values));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(namingFlags(error.message, values));
  }
}

/** `stithy serve`: runs until SIGTERM or SIGINT; a second signal cuts off what is in flight. */
export async function serveCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const values = parseOptions(args, HELP, OPTIONS);
  const { config, warnings } = configOf(env, values);
  // Invalid settings are reported before the server's modules are loaded; other commands do not load them.
  const { serve } = await import('../start.ts');
  // Other users of the machine get no access to new files; git processes inherit this.
  process.umask(0o077);
  const out = values.json === true ? process.stderr : process.stdout;
  const log = new JsonLogger(config.logLevel, (text) => out.write(text));
  for (const warning of warnings) log.log('warn', warning);
  // A promise nobody handles is a fault of the program, but no reason to end the server for everybody.
  process.on('unhandledRejection', (reason) => {
    const { message, stack } = reason instanceof Error ? reason : { message: String(reason), stack: undefined };
    log.log('error', 'unhandled rejection', { error: message, stack: stack && withSourceLines(stack) });
  });
  // The reader of the log may close the pipe.
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
    // Replaces the listener of the loading phase. It is added first: a signal that arrived while modules were loaded is
    // delivered at the next turn of the event loop and would be lost without a listener.
    const early = process.rawListeners(name) as NodeJS.SignalsListener[];
    process.on(name, onSignal);
    for (const listener of early) process.off(name, listener);
  }
  const running = await untilStopped(stop.signal, serve(config, log, { signal: stop.signal }));
  if (running !== null) {
    if (config.storagesFile !== null) process.on('SIGHUP', () => void reload(running, log));
    const line = readyLine(running);
    const removeReadyFile = await writeReadyFileOf(running, values['ready-file'], line);
    if (values.json === true) process.stdout.write(line);
    else process.stderr.write(greeting(running, process.uptime()));
    if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    removeReadyFile();
    await running.stop(hurry.signal);
  }
  log.flush();
  // Does not wait for what is still open, such as a connection that does not end.
  process.exit(0);
}

/** Like `writeReadyFile`, if a file is asked for; stops the server if it cannot be written. */
async function writeReadyFileOf(running: Running, file: string | undefined, line: string): Promise<() => void> {
  if (file === undefined) return () => {};
  try {
    return await writeReadyFile(file, line);
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** Reads the storages file again, to add and remove storages while the server runs. */
async function reload(running: Running, log: JsonLogger): Promise<void> {
  try {
    await running.reloadStorages();
  } catch (error) {
    log.log('error', 'the storages file was not applied', { error: (error as Error).message });
  }
}

/** @returns the running server; null if it was told to stop during the start */
async function untilStopped(signal: AbortSignal, starting: Promise<Running>): Promise<Running | null> {
  const abandoned = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => setTimeout(resolve, GIVE_UP_MS, null).unref(), { once: true });
  });
  try {
    return await Promise.race([starting, abandoned]);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function greeting({ url, deps, firstStart, newToken, ssh, bench }: Running, seconds: number): string {
  const lines = [
    '',
    `  Stithy is ready at ${url} (${seconds.toFixed(2)} s)`,
    `  Data:  ${deps.config.dataDir}`,
    `  Pages: ${url}   Sign in with a token in the place of the password`,
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
    lines.push('  Administrator: root, with the token of --token or STITHY_ROOT_TOKEN');
  }
  if (bench !== null) lines.push(`  Test bench: ${url}/-/bench   Reset: stithy bench reset --url ${url} --token TOKEN`);
  const token = newToken ?? '$TOKEN';
  lines.push(`  Try:   curl -H "PRIVATE-TOKEN: ${token}" ${url}/api/v4/user`, '', '');
  return lines.join('\n');
}
