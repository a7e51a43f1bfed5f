import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { ApiError, forbidden } from '../../../core/core.errors.ts';
import { pageOf } from '../../../db/paginate.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { readTextCursor, writeCursor } from '../../../http/http.cursor.ts';
import type { Page } from '../../../http/pagination.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { identityOfInput } from './users.identities.ts';
import { ADMIN_FILTERS, type listUsers, type UserFilters } from './users.inputs.ts';
import { after, byRelevance, inOrder, usersMatching } from './users.queries.ts';

type Input = Static<typeof listUsers>;

/** A page of users; `next` is the cursor of the following keyset page. */
export interface UserPage {
  rows: User[];
  total: number | null;
  next: string | null;
}

/**
 * Lists users for `GET /users`. Anonymous callers must give a user name; only administrators can use all filters and
 * orders.
 * @throws ApiError 400, 403, or 405 for keyset pagination with an unsupported order
 */
export async function listOfUsers(deps: Deps, caller: Caller, input: Input, page: Page): Promise<UserPage> {
  const { admin } = caller;
  const named = input.username !== undefined && input.username !== '';
  if (caller.user === null && !named) throw forbidden('Not authorized to access /api/v4/users');
  if (identityOfInput(input) !== undefined && !admin) throw forbidden();
  limitEmailLookUps(deps, caller, input.search);
  const query = usersMatching(deps.db, admin ? input : withoutAdminFilters(input), admin);
  const order = (admin ? input.order_by : undefined) ?? 'id';
  const direction = (admin ? input.sort : undefined) ?? 'desc';
  if (input.pagination === 'keyset') {
    if (caller.user === null) throw keysetUnavailable();
    const start = input.cursor === undefined || input.cursor === '' ? undefined : readTextCursor(input.cursor);
    const from = start === undefined ? query : after(query, order, direction, start);
    const rows = await inOrder(from, order, direction)
      .limit(page.size + 1)
      .execute();
    const more = rows.length > page.size;
    const shown = more ? rows.slice(0, page.size) : rows;
    const last = shown.at(-1);
    return {
      rows: shown,
      total: null,
      next: more && last !== undefined ? writeCursor({ value: String(last[order]), id: last.id }) : null,
    };
  }
  const { search } = input;
  const relevance = search !== undefined && search !== '' && input.order_by === undefined && input.sort === undefined;
  const ordered = relevance ? byRelevance(query, search) : inOrder(query, order, direction);
  return { ...(await pageOf(deps.db, ordered, page)), next: null };
}

/** Rate limit of look-ups by e-mail address, against probing which addresses are in use. @throws ApiError 429 */
function limitEmailLookUps({ limiter, settings }: Deps, { user, admin }: Caller, search: string | undefined): void {
  if (admin || user === null || !search?.includes('@')) return;
  limiter.check('user_email_lookup', String(user.id), perMinute(settings.now.user_email_lookup_limit));
}

function withoutAdminFilters(filters: UserFilters): UserFilters {
  const open = { ...filters };
  for (const name of ADMIN_FILTERS) delete open[name];
  return open;
}

const keysetUnavailable = () => {
  const text = 'Keyset pagination is not yet available for this type of request';
  return new ApiError(405, text, { error: text });
};
