/** What the package gives to programs. This file stands by itself: its declarations are published as they are. */

export interface StithyOptions {
  /** Settings as environment variables, `{ STITHY_PORT: '0' }`. The real environment is not read. */
  settings?: Readonly<Record<string, string | undefined>>;
  /** Opens the addresses of the test bench, which most of `Stithy` needs. */
  bench?: boolean;
  /** Makes what the server begins with: the path of a seed file, or what would be in one. */
  seed?: string | Readonly<Record<string, unknown>>;
  /** Keeps data in a temporary folder, without flushes, that is removed at the end. */
  ephemeral?: boolean;
  /** Receives log lines; they are dropped if absent. */
  log?: (line: string) => void;
}

/** How a call of the API differs from an ordinary one. */
export interface CallOptions {
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** Instead of the administrator's; null for none. */
  token?: string | null;
  /** Gives the response itself, whatever its status. */
  raw?: boolean;
}

/**
 * Calls the server: paths are below `/api/v4`, but for those that begin with `/-/` and `/api/`. A body is sent as JSON, unless it
 * is a form, bytes or a text.
 * @returns the JSON, or the text of other answers; undefined for an empty one
 * @throws RequestFailed for a status of 400 and above
 */
export interface Api {
  (method: string, path: string, body: unknown, options: CallOptions & { raw: true }): Promise<Response>;
  <T = unknown>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T>;
}

export interface ClockState {
  /** ISO 8601. */
  now: string;
  /** Seconds ahead of the system's clock. */
  offset: number;
  frozen: boolean;
}

export interface BenchClock {
  get(): Promise<ClockState>;
  /** @param change a time, or what `PUT /-/bench/clock` takes */
  set(change: Date | string | { now?: string; offset?: number; frozen?: boolean }): Promise<ClockState>;
  /** Resolves when everything that fell due has run, unless told not to wait. */
  advance(seconds: number, options?: { wait?: boolean }): Promise<ClockState>;
  freeze(frozen?: boolean): Promise<ClockState>;
}

export interface FaultRule {
  match: {
    method?: string;
    path?: string;
    user?: string;
    header?: Readonly<Record<string, string>>;
    count?: number;
    probability?: number;
    outgoing?: 'hook' | 'integration' | 'mirror';
    url?: string;
  };
  act: {
    status?: number;
    headers?: Readonly<Record<string, string>>;
    body?: unknown;
    delay_ms?: number;
    bytes_per_second?: number;
    drop?: 'before' | 'after' | 'mid-body';
    retry_after?: number;
  };
}

export interface Fault extends FaultRule {
  id: number;
  /** How often it has acted. */
  hits: number;
}

export interface BenchFaults {
  add(rule: FaultRule): Promise<Fault>;
  list(): Promise<Fault[]>;
  remove(id: number): Promise<void>;
  clear(): Promise<void>;
}

export interface Snapshot {
  name: string;
  created_at: string;
  bytes: number;
}

export interface RecordedRequest {
  id: number;
  at: string;
  method: string;
  /** As sent, without the query. */
  path: string;
  query: string | null;
  /** Template of its route; null if there is none. */
  route: string | null;
  /** Username. */
  caller: string | null;
  /** Null if nothing was answered. */
  status: number | null;
  request_body: string | null;
  response_body: string | null;
}

export interface RecordedMail {
  id: number;
  at: string;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string | null;
  links: string[];
}

export interface RecordedDelivery {
  id: number;
  at: string;
  kind: 'hook' | 'integration';
  hook_id: number | null;
  url: string;
  event: string | null;
  headers: Record<string, string>;
  /** As the receiver gets it. */
  body: string;
}

/** Entries of a record. With `count` it waits until there are so many after `after`, for `timeout` seconds. */
export interface RecordFilter {
  /** Id of an entry, or a time. */
  after?: number | string;
  count?: number;
  timeout?: number;
  [name: string]: unknown;
}

export interface JobResult {
  status: 'success' | 'failed' | 'canceled';
  log?: string;
  artifacts?: Readonly<Record<string, string | { base64: string }>>;
  coverage?: number;
  /** Exit code of its script. */
  exit_code?: number;
}

/** A running server. All but `url`, `token`, `api` and `stop` needs the test bench. */
export interface Stithy {
  /** URL of the server, without a trailing slash. */
  url: string;
  /** The administrator's token; null if the data folder is not new and no token was configured. */
  token: string | null;
  api: Api;
  /** Goes back to what the seed made. */
  reset(): Promise<void>;
  snapshot(name: string): Promise<Snapshot>;
  restore(name: string): Promise<void>;
  clock: BenchClock;
  faults: BenchFaults;
  requests(filter?: RecordFilter): Promise<RecordedRequest[]>;
  mails(filter?: RecordFilter): Promise<RecordedMail[]>;
  deliveries(filter?: RecordFilter): Promise<RecordedDelivery[]>;
  /** Resolves when no job is due. @throws RequestFailed 408 after so many seconds */
  idle(options?: { timeout?: number }): Promise<void>;
  jobs: {
    /** Ends a job as a runner would. */
    finish(id: number, result: JobResult): Promise<{ id: number; status: string; pipeline_id: number }>;
  };
  /** Finishes requests in flight and closes everything. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
