import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidParameter } from '../core/core.errors.ts';

/** The requested page. */
export interface Page {
  number: number;
  size: number;
  /** Number of rows before it. */
  offset: number;
}

const MAX_PER_PAGE = 100;
/** Number of rows above which totals are omitted. */
export const MAX_COUNTED = 10_000;

/** Reads `page` and `per_page`. @throws ApiError 400 */
export function readPage(query: Record<string, unknown>): Page {
  const number = read(query, 'page', 1);
  const size = Math.min(read(query, 'per_page', 20), MAX_PER_PAGE);
  return { number, size, offset: (number - 1) * size };
}

function read(query: Record<string, unknown>, name: string, fallback: number): number {
  const value = query[name];
  if (value === undefined || value === null || value === '') return fallback;
  if (typeof value !== 'number' && (typeof value !== 'string' || !/^[+-]?\d{1,18}$/.test(value))) {
    throw invalidParameter(`${name} is invalid`);
  }
  const number = Number(value);
  if (!Number.isInteger(number)) throw invalidParameter(`${name} is invalid`);
  // The offset of such a page would not be an exact number.
  if (number < 1 || number > 1e12) throw invalidParameter(`${name} does not have a valid value`);
  return number;
}

export interface PageHeaders {
  /** Total number of rows if it was counted; null to omit the totals. */
  total: number | null;
  /** Whether a next page exists; required without a total. */
  more?: boolean;
}

/** Characters that node accepts in a path, but a Link header must not contain. */
const UNSAFE = /[<>"{}|\\^`]/g;

interface Address {
  /** Path on the configured base, without the query. */
  path: string;
  query: URLSearchParams;
}

/** URL of the request without its tokens. */
function addressOf(base: string, request: FastifyRequest): Address {
  const question = request.url.indexOf('?');
  const path = (question === -1 ? request.url : request.url.slice(0, question)).replace(UNSAFE, encodeURIComponent);
  const query = new URLSearchParams(question === -1 ? '' : request.url.slice(question + 1));
  for (const secret of ['private_token', 'access_token', 'job_token']) query.delete(secret);
  return { path: `${base}${path}`, query };
}

/** The URL with these parameters. */
function addressWith({ path, query }: Address, changes: Record<string, string | number>): string {
  for (const name in changes) query.set(name, String(changes[name]));
  return `${path}?${query}`;
}

/** Makes the URLs of pages, which differ in one number: that is faster than writing the query each time. */
function pageAddresses({ path, query }: Address, size: number): (number: number) => string {
  query.set('page', '0');
  query.set('per_page', String(size));
  const text = `?${query}`;
  const at = /(?<=[?&]page=)0/.exec(text)!.index;
  const [before, behind] = [path + text.slice(0, at), text.slice(at + 1)];
  return (number) => `${before}${number}${behind}`;
}

/** URL of the request with other query parameters, on the configured base. */
export const pageUrl = (base: string, request: FastifyRequest, changes: Record<string, string | number>): string =>
  addressWith(addressOf(base, request), changes);

/** Sets the headers of offset pagination (part 1, section 1.6). */
export function setPageHeaders(
  base: string,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  { total, more }: PageHeaders,
): void {
  const counted = total !== null && total <= MAX_COUNTED;
  const lastPage = total === null ? null : Math.max(1, Math.ceil(total / page.size));
  const next = (lastPage === null ? more === true : page.number < lastPage) ? page.number + 1 : null;
  const previous = page.number > 1 ? page.number - 1 : null;
  const toPage = pageAddresses(addressOf(base, request), page.size);
  const link = (number: number, rel: string) => `<${toPage(number)}>; rel="${rel}"`;
  const links = [
    ...(previous === null ? [] : [link(previous, 'prev')]),
    ...(next === null ? [] : [link(next, 'next')]),
    link(1, 'first'),
    ...(counted ? [link(lastPage!, 'last')] : []),
  ];
  reply.header('Link', links.join(', '));
  reply.header('X-Next-Page', next === null ? '' : String(next));
  reply.header('X-Page', String(page.number));
  reply.header('X-Per-Page', String(page.size));
  reply.header('X-Prev-Page', previous === null ? '' : String(previous));
  if (counted) {
    reply.header('X-Total', String(total));
    reply.header('X-Total-Pages', String(lastPage));
  }
}

/** Sets the header of keyset pagination: a link to the next page, if there is one. */
export function setKeysetHeaders(
  base: string,
  request: FastifyRequest,
  reply: FastifyReply,
  next: Record<string, string | number> | null,
): void {
  if (next !== null) reply.header('Link', `<${pageUrl(base, request, next)}>; rel="next"`);
}
