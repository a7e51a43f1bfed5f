import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimitKeyOf } from '../../access/caller.ts';
import { callerOfSession, findSession } from '../../access/user-sessions.ts';
import { ApiError } from '../../core/core.errors.ts';
import { inScope } from '../../core/request-scope.ts';
import type { Deps } from '../../deps.ts';
import type { HttpServices } from '../../http/http.services.ts';
import { Throttled } from '../../http/rate-limit.ts';
import { readCookie } from '../../http/session-cookie.ts';
import { documentOf } from '../layout/document.ts';
import { ApiClient, ApiRefusal } from './api-client.ts';
import { formTokenFor, isOwnForm, TOKEN_FIELD } from './form-token.ts';
import { type Page, type PageContext, PageNotFound, PageRefusal, type PageRoute, type Redirect } from './page.ts';
import { signInPath } from './return-to.ts';
import { html } from './template.ts';

const COLOR = /^#([0-9a-f]{6})$/i;
const MAX_COLORS = 200;

/** A context, and what it has gathered for the layout. */
interface Prepared {
  context: PageContext;
  colors: Map<string, string>;
}

async function prepare(
  deps: Deps,
  services: HttpServices,
  request: FastifyRequest,
  reply: FastifyReply,
  params: Readonly<Record<string, string>>,
): Promise<Prepared> {
  const secret = readCookie(request, 'session');
  const { ip } = request;
  const session = secret === null ? null : await findSession(deps, secret, { ip });
  const caller = callerOfSession(session);
  // For the log.
  request.caller = caller;
  const token = await formTokenFor(deps, request, reply);
  const colors = new Map<string, string>();
  const base = new URL(deps.externalUrl()).pathname.replace(/\/$/, '');
  const context: PageContext = {
    ...{ deps, services, request, reply, session, user: session?.user ?? null, caller, params },
    api: new ApiClient(request, session?.apiToken ?? null),
    query: (name) => {
      const value = (request.query as Record<string, unknown>)[name];
      return typeof value === 'string' ? value : undefined;
    },
    field: (name) => fieldOf(request.body, name),
    formToken: html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}">`,
    at: (path) => `${base}${path}`,
    colorClass: (color) => {
      const [, hex] = COLOR.exec(color) ?? [];
      if (hex === undefined || colors.size >= MAX_COLORS) return '';
      const name = `color-${hex.toLowerCase()}`;
      colors.set(name, `.${name}{background-color:#${hex}}`);
      return name;
    },
  };
  return { context, colors };
}

/** `user[login]` of a form whose fields are nested objects. */
function fieldOf(body: unknown, name: string): string {
  let value = body;
  for (const key of name.split(/[[\]]+/).filter(Boolean))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Runs the handler of a page and sends what comes of it; refusals become pages, too. */
export async function servePage(
  deps: Deps,
  services: HttpServices,
  request: FastifyRequest,
  reply: FastifyReply,
  route: Pick<PageRoute, 'method' | 'signedIn' | 'handle'>,
  params: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const { context, colors } = await prepare(deps, services, request, reply, params);
  const scope = { caller: rateLimitKeyOf(context.caller, request.ip) };
  const answer = await inScope(scope, () => outcomeOf(route, context));
  if ('redirect' in answer) return reply.redirect(context.at(answer.redirect), 302);
  const nonce = randomBytes(16).toString('base64url');
  const text = await documentOf(answer, {
    context,
    colors: [...colors.values()].join(''),
    nonce,
    requestId: request.id,
  });
  return reply
    .code(answer.status ?? 200)
    .header(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    .header('X-Frame-Options', 'DENY')
    .header('Cache-Control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(String(text));
}

async function outcomeOf(
  { method, signedIn, handle }: Pick<PageRoute, 'method' | 'signedIn' | 'handle'>,
  context: PageContext,
): Promise<Page | Redirect> {
  const { deps, request, session } = context;
  try {
    if (method === 'POST' && !(await isOwnForm(deps, request, context.field(TOKEN_FIELD))))
      throw new PageRefusal(
        403,
        'This form was not sent by a page of this server, or is too old. Go back, reload the page, and try again.',
      );
    if (signedIn === true && session === null) return { redirect: signInPath(context) };
    return await handle(context);
  } catch (error) {
    return refusalOf(error, context);
  }
}

function refusalOf(error: unknown, context: PageContext): Page | Redirect {
  // It has set headers that tell when to come again.
  if (error instanceof Throttled) throw error;
  const status = error instanceof PageNotFound ? 404 : statusOf(error);
  if (status === null) throw error;
  const { session, request } = context;
  const isHidden = status === 404 || (status === 403 && request.method === 'GET' && error instanceof ApiRefusal);
  if (session === null && (isHidden || status === 401)) return { redirect: signInPath(context) };
  if (isHidden) return told(404, 'Not found', 'There is nothing at this address, or you may not see it.');
  return told(status, 'That did not work', (error as Error).message);
}

const statusOf = (error: unknown): number | null =>
  error instanceof ApiRefusal || error instanceof PageRefusal || error instanceof ApiError ? error.status : null;

const told = (status: number, title: string, message: string): Page => ({
  title,
  status,
  body: html`<h1>${title}</h1><p class="notice bad" role="alert">${message}</p>`,
});
