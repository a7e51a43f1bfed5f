import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SelectQueryBuilder } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import type { Schema } from '../../../db/schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Page } from '../../../http/pagination.ts';
import { setKeysetHeaders } from '../../../http/pagination.ts';
import type { GroupFilters } from './list.ts';

/** Groups that pages by number reach for anonymous callers; further ones are read by keyset. */
const MAX_OFFSET = 50_000;

const notAllowed = (text: string) => new ApiError(405, text, { error: text });

/** @throws ApiError 405 for a page of an anonymous caller too far out */
export function checkOffset(caller: Caller, page: Page): void {
  if (caller.user === null && page.offset + page.size > MAX_OFFSET) {
    throw notAllowed(
      `Offset pagination has a maximum allowed offset of ${MAX_OFFSET} for requests that return objects of type Group. ` +
        'Remaining records can be retrieved using keyset pagination.',
    );
  }
}

interface Position {
  name: string;
  id: number;
}

function readCursor(text: string): Position {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (
      typeof value === 'object' &&
      value !== null &&
      'name' in value &&
      'id' in value &&
      typeof value.name === 'string' &&
      Number.isSafeInteger(value.id)
    ) {
      return { name: value.name, id: Number(value.id) };
    }
  } catch {
    // Falls through to the refusal.
  }
  throw invalidParameter('cursor is invalid');
}

/**
 * A page by keyset: for anonymous callers and by name, ascending (silent parts of the specification, 0.5).
 * @throws ApiError 405 for any other order or caller, 400 for a cursor that is none
 */
export async function keysetPage(
  query: SelectQueryBuilder<Schema, 'namespaces', Namespace>,
  caller: Caller,
  filters: GroupFilters,
  position: { cursor: string | undefined; size: number },
  answer: { base: string; request: FastifyRequest; reply: FastifyReply },
): Promise<Namespace[]> {
  if (caller.user !== null || filters.order_by !== 'name' || filters.sort !== 'asc') {
    throw notAllowed('Keyset pagination is not yet available for this type of request');
  }
  let following = query.limit(position.size + 1);
  if (position.cursor !== undefined && position.cursor !== '') {
    const { name, id } = readCursor(position.cursor);
    following = following.where((eb) =>
      eb.or([eb('name', '>', name), eb.and([eb('name', '=', name), eb('id', '>', id)])]),
    );
  }
  const rows = await following.execute();
  const page = rows.slice(0, position.size);
  const last = page.at(-1);
  const next =
    rows.length > position.size && last !== undefined
      ? { cursor: Buffer.from(JSON.stringify({ name: last.name, id: last.id })).toString('base64url') }
      : null;
  setKeysetHeaders(answer.base, answer.request, answer.reply, next);
  return page;
}
