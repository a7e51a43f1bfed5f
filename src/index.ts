import { loadConfig } from './config/config.ts';
import { JsonLogger } from './core/logger.ts';
import { serve } from './start.ts';

export interface StithyOptions {
  /** Settings as environment variables, `{ STITHY_PORT: '0' }`. The real environment is not read. */
  settings?: Readonly<Record<string, string | undefined>>;
  /** Receives log lines; they are dropped if absent. */
  log?: (line: string) => void;
}

export interface Stithy {
  /** URL of the server, without a trailing slash. */
  url: string;
  /** The administrator's token; null if the data folder is not new and no token was configured. */
  token: string | null;
  /** Finishes requests in flight and closes everything. */
  stop(): Promise<void>;
}

/** Starts a server in this process. */
export async function start(options: StithyOptions = {}): Promise<Stithy> {
  const { config } = loadConfig(options.settings ?? {});
  const log = new JsonLogger(options.log === undefined ? 'silent' : config.logLevel, options.log ?? (() => {}));
  const running = await serve(config, log);
  return { url: running.url, token: config.rootToken ?? running.newToken, stop: running.stop };
}
