import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidParameter } from '../core/core.errors.ts';
import { MAX_COUNTED, type PageRange } from '../db/paginate.ts';
import { type Listing, limitOffset, type NextPage, type PageLimits } from './listing.ts';

/** The requested page. */
export interface Page extends PageRange {
  number: number;
}

/** Reads `page` and `per_page`. @throws ApiError 400; 405 above the maximum offset */
export function readPage(query: Record<string, unknown>, limits: PageLimits = {}): Page {
  const number = read(query, 'page', 1);
  const size = Math.min(read(query, 'per_page', limits.size ?? 20), limits.maxSize ?? 100);
  const offset = (number - 1) * size;
  if (limits.offsetsOf !== undefined) limitOffset(offset, limits.offsetsOf);
  return { number, size, offset };
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

/** Sets the headers of a page of a list (part 1, section 1.6). */
export function setListHeaders(
  base: string,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  listing: Listing<unknown>,
): void {
  if ('next' in listing) setNextLink(base, request, reply, listing.next);
  else setPageHeaders(base, request, reply, page, listing.total, listing.more === true);
}

/** Sets the header of keyset pagination: a link to the next page, if there is one. */
function setNextLink(base: string, request: FastifyRequest, reply: FastifyReply, next: NextPage | null): void {
  if (next !== null) reply.header('Link', `<${addressWith(addressOf(base, request), next)}>; rel="next"`);
}

/** Sets the headers of offset pagination. @param more whether there is a next page, if the rows are not counted */
function setPageHeaders(
  base: string,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  total: number | null,
  more: boolean,
): void {
  const counted = total !== null && total <= MAX_COUNTED;
  const lastPage = total === null ? null : Math.max(1, Math.ceil(total / page.size));
  const next = (lastPage === null ? more : page.number < lastPage) ? page.number + 1 : null;
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
