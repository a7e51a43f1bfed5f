import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledQuery } from 'kysely';
import type { InjectOptions, Response } from 'light-my-request';
import { loadConfig } from '../../src/config/config.ts';
import type { Environment } from '../../src/config/env.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { JsonLogger } from '../../src/core/logger.ts';
import type { Deps } from '../../src/deps.ts';
import { type Instance, open } from '../../src/start.ts';
import { checkAnswer } from './conformance.ts';
import { freshDatabase } from './databases.ts';
import { Factories } from './factories.ts';

export const ROOT_TOKEN = 'glpat-root-token-for-the-tests';

const SETTLE_AHEAD_MS = 15_000;

export interface RequestOptions {
  /** Token of the caller; null is anonymous. */
  token?: string | null;
  query?: Record<string, string | number | boolean | readonly string[]>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent urlencoded, as it stands. */
  form?: string;
  /** Any other body; set the content type in `headers`. */
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** The same server that `main.ts` runs, on a data folder of its own, asked without a socket unless `listen` is called. */
export class TestApp {
  readonly #log: { logger: JsonLogger; lines: string[] };
  readonly #cleanUps: (() => void | Promise<void>)[];
  /** Null once it is closed: test files keep their app as long as the process lives. */
  #open: { instance: Instance; make: Factories } | null;
  #url: string | undefined;

  constructor(instance: Instance, log: { logger: JsonLogger; lines: string[] }, cleanUp: () => Promise<void>) {
    this.#open = { instance, make: new Factories(instance.deps) };
    this.#log = log;
    this.#cleanUps = [cleanUp];
  }

  get instance(): Instance {
    assert.ok(this.#open !== null, 'The app is closed.');
    return this.#open.instance;
  }

  get make(): Factories {
    assert.ok(this.#open !== null, 'The app is closed.');
    return this.#open.make;
  }

  /** What the server has logged so far, a few lines at a time. */
  get logLines(): readonly string[] {
    this.#log.logger.flush();
    return this.#log.lines;
  }

  /** Writable: a test may replace a part. */
  get deps(): { -readonly [Part in keyof Deps]: Deps[Part] } {
    return this.instance.deps;
  }

  /** Sends a request below `/api/v4`; JSON answers are checked against the route's declared schema. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { token = ROOT_TOKEN, query, json, form, body } = options;
    const headers: Record<string, string> = { ...options.headers };
    if (token !== null) headers['private-token'] = token;
    if (json !== undefined) headers['content-type'] = 'application/json';
    if (form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
    const search = query === undefined ? '' : `?${queryString(query)}`;
    const payload = json === undefined ? (form ?? body) : JSON.stringify(json);
    const response = await this.instance.server.app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url: `${['/-/', '/oauth', '/import/'].some((start) => path.startsWith(start)) ? '' : '/api/v4'}${path}${search}`,
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
    checkAnswer(method, path, response);
    return response;
  }

  get = (path: string, options?: RequestOptions) => this.request('GET', path, options);
  head = (path: string, options?: RequestOptions) => this.request('HEAD', path, options);
  post = (path: string, options?: RequestOptions) => this.request('POST', path, options);
  put = (path: string, options?: RequestOptions) => this.request('PUT', path, options);
  patch = (path: string, options?: RequestOptions) => this.request('PATCH', path, options);
  delete = (path: string, options?: RequestOptions) => this.request('DELETE', path, options);

  /** Listens on a free port of 127.0.0.1, for real clients. @returns the address without a trailing slash */
  async listen(): Promise<string> {
    if (this.#url === undefined) {
      this.#url = await this.instance.server.app.listen({ host: '127.0.0.1', port: 0 });
      this.deps.config.port = Number(new URL(this.#url).port);
    }
    return this.#url;
  }

  /** Runs all background work that is due, and what only waits a few seconds for more of its kind. */
  async drain(): Promise<void> {
    await this.deps.jobs.drain(SETTLE_AHEAD_MS);
  }

  /** Has something cleared away once the app is closed. */
  onClose(cleanUp: () => void): void {
    this.#cleanUps.push(cleanUp);
  }

  async close(): Promise<void> {
    const { instance } = this;
    await instance.server.app.close();
    await instance.close();
    for (const cleanUp of this.#cleanUps.splice(0)) await cleanUp();
    this.#open = null;
  }
}

function queryString(query: NonNullable<RequestOptions['query']>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const item of value) search.append(name, item);
    else search.append(name, String(value));
  }
  return search.toString();
}

/** A clock that stands still until it is moved. */
export class TestClock implements Clock {
  #now: Date;

  constructor(now = new Date('2026-06-15T12:00:00.000Z')) {
    this.#now = now;
  }

  now(): Date {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds);
  }
}

/**
 * Builds the server for a test: a new data folder, on SQLite or, when STITHY_TEST_POSTGRES holds a server's address,
 * on a new PostgreSQL database. Background work runs only in `drain`.
 */
export async function buildTestApp(
  options: { settings?: Environment; clock?: Clock; onQuery?: (query: CompiledQuery) => void } = {},
): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stithy-test-'));
  const database = await freshDatabase(dataDir);
  const lines: string[] = [];
  const { config } = loadConfig({
    STITHY_DATA_DIR: dataDir,
    STITHY_ROOT_TOKEN: ROOT_TOKEN,
    STITHY_SYNC: 'off',
    STITHY_PORT: '0',
    STITHY_STORAGES: `default=${join(dataDir, 'a')},second=${join(dataDir, 'b')}=0`,
    ...(database.url === null ? {} : { STITHY_DATABASE_URL: database.url }),
    ...options.settings,
  });
  config.passwordHash = { memoryKiB: 64, passes: 1 };
  config.deliveryLogPauseMs = 0;
  const logger = new JsonLogger(config.logLevel, (text) => lines.push(text));
  const alone = config.database.kind === 'sqlite';
  const instance = await open(config, logger, options.clock ?? systemClock, alone, options.onQuery);
  return new TestApp(instance, { logger, lines }, async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });
}

/** Asserts a status and gives the JSON body. */
export function expectStatus<T = Record<string, unknown>>(response: Response, status: number): T {
  assert.equal(response.statusCode, status, response.body.slice(0, 2_000));
  return (response.body === '' ? undefined : JSON.parse(response.body)) as T;
}
