import type { Api, CallOptions, RecordFilter, Stithy } from './instance.types.ts';

/** An answer with a status of 400 or above. */
export class RequestFailed extends Error {
  override name = 'RequestFailed';
  readonly status: number;
  /** The answer's JSON, or its text. */
  readonly body: unknown;

  constructor(method: string, path: string, status: number, body: unknown) {
    super(`${method} ${path}: ${status} ${messageOf(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** What an answer says in the platform's ways. */
function messageOf(body: unknown): string {
  const said = body as { message?: unknown; error?: unknown } | null | undefined;
  const message = said?.message ?? said?.error ?? body ?? '';
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** What `fetch` sends as it is. */
const isSentAsIs = (body: unknown): boolean =>
  typeof body === 'string' ||
  body instanceof FormData ||
  body instanceof URLSearchParams ||
  body instanceof Blob ||
  body instanceof Uint8Array;

function queryOf(query: CallOptions['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const each of [value].flat()) if (each !== undefined && each !== null) search.append(name, String(each));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** @param own token of calls that name no other */
function apiOf(url: string, own: string | null): Api {
  const call = async (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<unknown> => {
    const { token = own, query, headers, raw = false } = options;
    const isJson = body !== undefined && !isSentAsIs(body);
    const response = await fetch(`${url}${/^\/(-|api)\//.test(path) ? '' : '/api/v4'}${path}${queryOf(query)}`, {
      method,
      headers: {
        ...(token === null ? {} : { 'private-token': token }),
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string) }),
    });
    if (raw) return response;
    const text = await response.text();
    const answer = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : text;
    if (response.status >= 400) throw new RequestFailed(method, path, response.status, answer);
    return answer === '' ? undefined : answer;
  };
  return call as Api;
}

/**
 * What a program does with a running server, over HTTP: as other clients see it.
 * @param token the administrator's
 */
export function clientOf(url: string, token: string | null): Omit<Stithy, 'stop' | typeof Symbol.asyncDispose> {
  const api = apiOf(url, token);
  const bench = <T>(method: string, path: string, body?: unknown, options?: CallOptions) =>
    api<T>(method, `/-/bench/${path}`, body, options);
  const record =
    <T>(name: string) =>
    ({ count, ...filter }: RecordFilter = {}) =>
      bench<T[]>('GET', name, undefined, { query: { ...filter, ...(count === undefined ? {} : { count, wait: 1 }) } });
  const snapshots = (name: string) => `snapshots/${encodeURIComponent(name)}`;
  return {
    url,
    token,
    api,
    reset: async () => void (await bench('POST', 'reset')),
    snapshot: (name) => bench('POST', 'snapshots', { name }),
    restore: async (name) => void (await bench('POST', `${snapshots(name)}/restore`)),
    clock: {
      get: () => bench('GET', 'clock'),
      set: (change) => {
        const now = change instanceof Date ? change.toISOString() : change;
        return bench('PUT', 'clock', typeof now === 'string' ? { now } : now);
      },
      advance: (seconds, options) => bench('POST', 'clock/advance', { seconds, ...options }),
      freeze: (frozen = true) => bench('PUT', 'clock', { frozen }),
    },
    faults: {
      add: (rule) => bench('POST', 'faults', rule),
      list: () => bench('GET', 'faults'),
      remove: (id) => bench('DELETE', `faults/${id}`),
      clear: () => bench('DELETE', 'faults'),
    },
    requests: record('requests'),
    mails: record('mails'),
    deliveries: record('deliveries'),
    idle: async (options) => void (await bench('GET', 'idle', undefined, { query: { ...options } })),
    jobs: { finish: (id, result) => bench('POST', `jobs/${id}`, result) },
  };
}
