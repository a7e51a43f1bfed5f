import type { FastifyRequest } from 'fastify';
import { currentScope } from '../../core/request-scope.ts';
import { injectRequest, type Query, queryString, refusalText } from '../../http/inject-request.ts';

/** A JSON object of the API. */
export type Json = Record<string, unknown>;
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
const API_PATH = /^https?:\/\/[^/]+(?:\/.*?)?\/api\/v4(\/.*)$/;

/** What the API refused. */
export class ApiRefusal extends Error {
  override name = 'ApiRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** One page of a list. */
export interface ListPage<T> {
  rows: T[];
  page: number;
  /** Null if it is not counted. */
  total: number | null;
  hasNext: boolean;
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/**
 * The API of this server for the user of a page. It alone decides rights, filters and shapes: pages have no queries of
 * their own.
 */
export class ApiClient {
  readonly #request: FastifyRequest;
  readonly #token: string | null;

  /** @param token of the session; null for anonymous visitors */
  constructor(request: FastifyRequest, token: string | null) {
    this.#request = request;
    this.#token = token;
  }

  /** Gets an object. @param path below /api/v4 @throws ApiRefusal */
  async get<T = Json>(path: string, query: Query = {}): Promise<T> {
    return JSON.parse((await this.#ask('GET', path + queryString(query))).text) as T;
  }

  /** Gets an object that may be missing, or hidden from the user: null then. @throws ApiRefusal */
  async find<T = Json>(path: string, query: Query = {}): Promise<T | null> {
    try {
      return await this.get<T>(path, query);
    } catch (error) {
      if (error instanceof ApiRefusal && [401, 403, 404].includes(error.status)) return null;
      throw error;
    }
  }

  /** Gets a page of a list. @throws ApiRefusal */
  async list<T = Json>(path: string, query: Query = {}): Promise<ListPage<T>> {
    const { headers, text } = await this.#ask('GET', path + queryString(query));
    const total = headers['x-total'];
    return {
      rows: JSON.parse(text) as T[],
      page: Number(query.page ?? 1),
      total: total === undefined ? null : Number(total),
      hasNext: (headers['x-next-page'] ?? '') !== '' || /rel="next"/.test(String(headers.link ?? '')),
    };
  }

  /** Gets the bytes of an answer that is no JSON. @throws ApiRefusal */
  async text(path: string, query: Query = {}): Promise<string> {
    return (await this.#ask('GET', path + queryString(query))).text;
  }

  /** Gets the headers of an answer without its content. @throws ApiRefusal */
  async headers(path: string, query: Query = {}): Promise<Record<string, unknown>> {
    return (await this.#ask('HEAD', path + queryString(query))).headers;
  }

  /** Changes something. @returns the JSON of the answer; undefined if there is none @throws ApiRefusal */
  async send<T = Json>(method: Exclude<Method, 'GET' | 'HEAD'>, path: string, body?: Json): Promise<T> {
    const { text } = await this.#ask(method, path, body);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async #ask(method: Method, url: string, body?: Json): Promise<Answer> {
    const { ip, server } = this.#request;
    const response = await injectRequest(server, currentScope(), {
      method,
      url: `/api/v4${url}`,
      remoteAddress: ip,
      headers: {
        ...(this.#token === null ? {} : { 'private-token': this.#token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    // A project or group that has moved: the answer names its new path.
    const moved = response.statusCode === 301 ? API_PATH.exec(String(response.headers.location))?.[1] : undefined;
    if (moved !== undefined && moved !== url && body === undefined) return this.#ask(method, moved);
    if (response.statusCode >= 400) throw new ApiRefusal(response.statusCode, refusalText(response.payload));
    return { status: response.statusCode, headers: response.headers, text: response.payload };
  }
}
