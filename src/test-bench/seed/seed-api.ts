import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { InjectOptions } from 'light-my-request';
import { originOf, type UserCaller } from '../../access/caller.ts';
import { timestamp } from '../../core/clock.ts';
import { ApiError } from '../../core/core.errors.ts';
import { randomText, tokenDigest } from '../../core/core.secrets.ts';
import { inScope } from '../../core/request-scope.ts';
import { equalsIgnoringCase } from '../../db/like.ts';
import type { Deps } from '../../deps.ts';
import { injectRequest, refusalText } from '../../http/inject-request.ts';

export type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const SCOPES = ['api', 'sudo', 'admin_mode'];
const PAGE = 100;
const ADDRESS = '127.0.0.1';

/** A refusal of the API. */
export class SeedRefusal extends Error {
  override name = 'SeedRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface SendOptions {
  /** Username of who does it; the administrator if absent. */
  as?: string | undefined;
  /** Instead of JSON. */
  bytes?: Buffer;
}

/** The REST API of the same process, with the rights of the administrator: there is no second rule. */
export class SeedApi {
  readonly #app: FastifyInstance;
  readonly #deps: Deps;
  readonly #token: string;
  #id = 0;

  private constructor(deps: Deps, app: FastifyInstance, token: string) {
    this.#deps = deps;
    this.#app = app;
    this.#token = token;
  }

  /** Opens it with a token that nobody else knows, which `close` removes. */
  static async open(deps: Deps, app: FastifyInstance): Promise<SeedApi> {
    const api = new SeedApi(deps, app, `seed-${randomText(40)}`);
    const { id } = await deps.db
      .insertInto('oauth_tokens')
      .values({
        user_id: 1,
        application_id: null,
        digest: tokenDigest(api.#token),
        refresh_digest: tokenDigest(`none-${randomUUID()}`),
        scopes: JSON.stringify(SCOPES),
        expires_in: null,
        created_at: timestamp(deps.clock),
        revoked_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    api.#id = id;
    return api;
  }

  async close(): Promise<void> {
    await this.#deps.db.deleteFrom('oauth_tokens').where('id', '=', this.#id).execute();
  }

  /**
   * Sends a request.
   * @param path below /api/v4
   * @returns the JSON of the answer; undefined if there is none
   * @throws SeedRefusal
   */
  async send<T = Json>(method: Method, path: string, body?: unknown, { as, bytes }: SendOptions = {}): Promise<T> {
    const headers: Record<string, string> = { 'private-token': this.#token };
    if (as !== undefined) headers.sudo = as;
    const payload = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    if (payload !== undefined)
      headers['content-type'] = bytes === undefined ? 'application/json' : 'application/octet-stream';
    const options: InjectOptions = { method, url: `/api/v4${path}`, headers, ...(payload ? { payload } : {}) };
    const response = await injectRequest(this.#app, { caller: 'seed', isCounted: true }, options);
    if (response.statusCode >= 300) throw new SeedRefusal(response.statusCode, refusalText(response.payload));
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return (isJson && response.payload !== '' ? JSON.parse(response.payload) : undefined) as T;
  }

  /**
   * Does something as a user, as a request of theirs would: for what is made so often that requests take too long.
   * @param as username; the administrator if absent
   * @throws SeedRefusal
   */
  async act<T>(as: string | undefined, work: (caller: UserCaller) => Promise<T>): Promise<T> {
    const caller = await this.#callerOf(as);
    try {
      return await inScope({ caller: 'seed', origin: originOf(caller, ADDRESS) }, () => work(caller));
    } catch (error) {
      if (error instanceof ApiError) throw new SeedRefusal(error.status, error.message);
      throw error;
    }
  }

  async #callerOf(as = 'root'): Promise<UserCaller> {
    const { db } = this.#deps;
    const users = db.selectFrom('users').selectAll();
    const user = await users.where((eb) => equalsIgnoringCase(eb.ref('username'), as)).executeTakeFirstOrThrow();
    const admin = await users.where('id', '=', 1).executeTakeFirstOrThrow();
    const credential = { kind: 'oauth', tokenId: this.#id, applicationId: null } as const;
    const sudoBy = user.id === admin.id ? null : admin;
    return { user, admin: user.admin === 1, scopes: SCOPES, credential, sudoBy };
  }

  /** All objects of a list; none if there is no such list. */
  async list(path: string, query = ''): Promise<Json[]> {
    const all: Json[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await this.find<Json[] | Json>(`${path}?per_page=${PAGE}&page=${page}${query}`);
      if (!Array.isArray(answer)) return answer === null ? all : [...all, answer];
      all.push(...answer);
      if (answer.length < PAGE) return all;
    }
  }

  /** One object; null if it is not there. */
  async find<T = Json>(path: string): Promise<T | null> {
    try {
      return await this.send<T>('GET', path);
    } catch (error) {
      if (error instanceof SeedRefusal && error.status === 404) return null;
      throw error;
    }
  }
}
