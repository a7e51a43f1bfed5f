import type { FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { currentScope } from '../../core/request-scope.ts';
import type { Deps } from '../../deps.ts';
import type { BaseContext } from '../../http/http.route.ts';
import { injectRequest, type Query, queryString } from '../../http/inject-request.ts';
import type { QueryBudget } from './limits/budget.ts';

/** A JSON object of the REST API. */
export type Json = Record<string, unknown>;

/** Headers that identify the caller. */
const CREDENTIALS = ['private-token', 'authorization', 'job-token', 'sudo'] as const;

interface Answer {
  json: unknown;
  total: number | null;
}

/**
 * Client of the REST API for the caller of one query. The REST API alone decides rights, filters and shapes; what the
 * caller may not see is null. Equal requests are made once.
 */
export class Rest {
  /** Cost of the query so far. */
  readonly budget: QueryBudget;
  readonly #request: FastifyRequest;
  readonly #deps: Deps;
  readonly #answers = new Map<string, Promise<Answer | null>>();

  constructor({ request, deps }: Pick<BaseContext, 'request' | 'deps'>, budget: QueryBudget) {
    this.#request = request;
    this.#deps = deps;
    this.budget = budget;
  }

  /** Gets one object; null if it does not exist or the caller may not see it. @param path below /api/v4 */
  async one(path: string, query: Query = {}): Promise<Json | null> {
    return ((await this.#ask(`${path}${queryString(query)}`))?.json ?? null) as Json | null;
  }

  /** Gets a page of a list, with the total if it is counted; null if the caller may not read the list. */
  async page(path: string, query: Query): Promise<{ rows: Json[]; total: number | null } | null> {
    const response = await this.#ask(`${path}${queryString(query)}`);
    return response && { rows: response.json as Json[], total: response.total };
  }

  /** Project and number of an issue, without a check of rights: reading the issue checks them. */
  async placeOfIssue(issue: string): Promise<{ project_id: number; iid: number } | null> {
    if (!/^\d{1,15}$/.test(issue)) return null;
    const lookUp = () =>
      this.#deps.db
        .selectFrom('issues')
        .select(['project_id', 'iid'])
        .where('id', '=', Number(issue))
        .executeTakeFirst();
    return (await this.budget.limitCall(lookUp)) ?? null;
  }

  async #ask(url: string): Promise<Answer | null> {
    await this.budget.yieldTurn();
    const known = this.#answers.get(url);
    if (known !== undefined) return known;
    const asked = this.budget.limitCall(() => this.#send(url));
    this.#answers.set(url, asked);
    return asked;
  }

  async #send(url: string): Promise<Answer | null> {
    const { headers, ip, server } = this.#request;
    const { budget } = this;
    const own = Object.fromEntries(CREDENTIALS.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
    const options = { url: `/api/v4${url}`, headers: own, remoteAddress: ip, signal: budget.signal };
    const scope = { caller: currentScope().caller, isCounted: true };
    const response = await injectRequest(server, scope, options).catch((error: unknown) => {
      budget.signal.throwIfAborted();
      throw error;
    });
    budget.charge(0, response.rawPayload.length);
    if ([401, 403, 404].includes(response.statusCode)) return null;
    if (response.statusCode >= 400) throw new GraphQLError(refusalOf(response));
    const json = response.json() as unknown;
    const total = response.headers['x-total'];
    return { json, total: total === undefined ? null : Number(total) };
  }
}

/** Message of a refusal of the REST API; throttles answer with plain text. */
function refusalOf({ headers, payload }: { headers: Record<string, unknown>; payload: string }): string {
  if (!String(headers['content-type']).startsWith('application/json')) return payload;
  return (JSON.parse(payload) as { message: string }).message;
}
