import { builtinModules } from 'node:module';
import { loadConfig } from './config/config.ts';
import type { Environment } from './config/env.ts';
import { JsonLogger } from './core/logger.ts';
import { StartupError } from './core/startup-error.ts';
import { expectManyDatabases } from './db/empty-database.ts';
import type { Stithy, StithyOptions } from './instance.types.ts';
import { clientOf } from './instance-client.ts';
import { serve } from './start.ts';

export type * from './instance.types.ts';
export { RequestFailed } from './instance-client.ts';

function settingsOf({ settings = {}, bench, ephemeral, seed }: StithyOptions): Environment {
  return {
    // Servers beside others take what port is free.
    ...(bench || ephemeral ? { STITHY_PORT: '0' } : {}),
    ...settings,
    ...(bench === undefined ? {} : { STITHY_BENCH: String(bench) }),
    ...(typeof seed === 'string' ? { STITHY_SEED: seed } : {}),
    ...(ephemeral === undefined ? {} : { STITHY_EPHEMERAL: String(ephemeral) }),
  };
}

/** Whether this code has other arrays and errors than Node.js itself, so that it cannot tell what it gets from it. */
const isSandboxed = (): boolean => Object.getPrototypeOf(builtinModules) !== Array.prototype;

/**
 * Starts a server in this process; many can run side by side.
 * @throws StartupError if settings, data or environment do not allow it
 */
export async function start(options: StithyOptions = {}): Promise<Stithy> {
  if (isSandboxed())
    throw new StartupError(
      'A server cannot run in a sandbox such as those of Jest: start it in "globalSetup" instead.',
    );
  expectManyDatabases();
  const { config } = loadConfig(settingsOf(options));
  const log = new JsonLogger(options.log === undefined ? 'silent' : config.logLevel, options.log ?? (() => {}));
  if (typeof options.seed === 'object') config.seed = options.seed;
  const { url, newToken, stop } = await serve(config, log);
  const client = clientOf(url, config.rootToken ?? newToken);
  return { ...client, stop: () => stop(), [Symbol.asyncDispose]: () => stop() };
}
