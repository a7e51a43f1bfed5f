import { loadConfig } from './config/config.ts';
import { JsonLogger } from './core/logger.ts';
import { serve } from './start.ts';

export interface StithyOptions {
  /** Settings as the environment would give them, `{ STITHY_PORT: '0' }`. The real environment is not read. */
  settings?: Readonly<Record<string, string | undefined>>;
  /** Where log lines go; nowhere when absent. */
  log?: (line: string) => void;
}

export interface Stithy {
  /** Address of the server, without a trailing slash. */
  url: string;
  /** The administrator's token; null when the data folder is not new and none was set. */
  token: string | null;
  /** Finishes the requests under way and closes everything. */
  stop(): Promise<void>;
}

/** Starts a server inside this process. */
export async function start(options: StithyOptions = {}): Promise<Stithy> {
  const { config } = loadConfig(options.settings ?? {});
  const log = new JsonLogger(options.log === undefined ? 'silent' : config.logLevel, options.log ?? (() => {}));
  const running = await serve(config, log);
  return { url: running.url, token: config.rootToken ?? running.newToken, stop: running.stop };
}
