import { withoutUrlCredentials } from './url-credentials.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Structured log with one JSON object per line. Must not be given tokens, passwords or whole request bodies. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const ORDER: Record<LogLevel | 'silent', number> = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

const SEVERITY: Record<LogLevel, string> = { error: 'ERROR', warn: 'WARN', info: 'INFO', debug: 'DEBUG' };

const MAX_BUFFERED = 64 * 1024;
const FLUSH_MS = 200;

/** Writes lines in batches to reduce system calls; errors and the end are written immediately. */
export class JsonLogger implements Logger {
  readonly #level: number;
  readonly #write: (text: string) => void;
  #buffer = '';
  #now = 0;
  #text = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(level: LogLevel | 'silent', write: (text: string) => void) {
    this.#level = ORDER[level];
    this.#write = write;
  }

  log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (ORDER[level] > this.#level) return;
    const text = withoutUrlCredentials(JSON.stringify(message));
    const head = `{"time":"${this.#timeText()}","severity":"${SEVERITY[level]}","message":${text}`;
    const rest = withoutUrlCredentials(JSON.stringify(fields));
    this.#buffer += rest === '{}' ? `${head}}\n` : `${head},${rest.slice(1)}\n`;
    if (level === 'error' || this.#buffer.length > MAX_BUFFERED) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** Timestamp of a line, cached because many lines share a millisecond. */
  #timeText(): string {
    const now = Date.now();
    if (now !== this.#now) {
      this.#now = now;
      this.#text = new Date(now).toISOString();
    }
    return this.#text;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#buffer === '') return;
    const text = this.#buffer;
    this.#buffer = '';
    this.#write(text);
  }
}

export const silentLogger: Logger = { log: () => {} };
