import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { JsonLogger } from '../core/logger.ts';
import { withDeferredFlush } from '../deferred-seed-flush.ts';
import { applySeedFile, BenchClock, SeedError, SeedMistake, type SeedReport } from '../test-bench/index.ts';
import { readSeedFile } from '../test-bench/seed/seed-file.ts';
import { BUNDLED_SEED, bundledSeed } from '../test-bench/seed/seed-sending.ts';
import { parseCommand, printsHelp } from './command.ts';
import { askServer, messageIn, REMOTE_OPTIONS, type RemoteServer, remoteServer } from './server-client.ts';
import { onStoppedServer } from './stopped-server.ts';

const HELP = `Usage: stithy seed FILE [--url URL --token TOKEN]

Makes what a seed file (YAML or JSON) describes: users, groups, projects with commits, issues, and so on. What is there
already stays as it is. "stithy init" writes a file to begin with.

  --url     address of a server with a test bench (STITHY_BENCH=1); without it the data of the configured server, which
            must not run
  --token   the administrator's token of that server (default: STITHY_ROOT_TOKEN)

Problems are printed as "file:line: path: what is right"; the exit code is 1 then.
`;

interface Order {
  file: string;
  server: RemoteServer | null;
}

/** `stithy seed`: applies a seed file to a server that runs, or to the data of one that does not. */
export async function seedCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const { file, server } = readArguments(args, env);
  try {
    const { made, seconds } = await (server === null ? here(file, env) : elsewhere(file, server));
    const parts = Object.entries(made).map(([kind, n]) => `${n} ${kind.replaceAll('_', ' ')}`);
    process.stdout.write(
      `${parts.length === 0 ? 'Nothing to do' : `Made ${parts.join(', ')}`} in ${seconds.toFixed(2)} s.\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof SeedError) && !(error instanceof SeedMistake)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

const readArguments = (args: readonly string[], env: Environment): Order =>
  parseCommand(args, HELP, REMOTE_OPTIONS, ({ values, positionals: [file, ...more] }) => {
    if (file === undefined || more.length > 0) throw new Error('expected exactly one file.');
    if (values.url === undefined && values.token !== undefined) throw new Error('--token needs --url.');
    return { file, server: values.url === undefined ? null : remoteServer(values, env) };
  });

function here(file: string, env: Environment): Promise<SeedReport> {
  const { config } = loadConfig(env);
  const log = new JsonLogger('silent', () => {});
  return onStoppedServer(config, log, new BenchClock(), (instance) =>
    withDeferredFlush(config, instance.firstStart, () => applySeedFile(instance, file)),
  );
}

/** @throws SeedError with the problems that the server tells */
async function elsewhere(file: string, server: RemoteServer): Promise<SeedReport> {
  const seed = await bundledSeed(await readSeedFile(file), file);
  const answer = await askServer(server, '/-/bench/seed', {
    method: 'POST',
    type: BUNDLED_SEED,
    body: JSON.stringify(seed),
  });
  if (answer.status === 201) return JSON.parse(answer.body) as SeedReport;
  throw new SeedError([refusalOf(answer.status, answer.body)]);
}

function refusalOf(status: number, body: string): string {
  if (status === 404) return 'the server has no test bench: start it with STITHY_BENCH=1';
  return messageIn(body) ?? `the server answered ${status}`;
}
