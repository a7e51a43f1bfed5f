import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { readTextCursor, writeCursor } from '../../../http/http.cursor.ts';
import { byKeyset, keysetUnavailable } from '../../../http/listing.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { identityOfInput } from './users.identities.ts';
import { ADMIN_FILTERS, type listUsers, type UserFilters } from './users.inputs.ts';
import { after, byRelevance, inOrder, usersMatching } from './users.queries.ts';

type Input = Static<typeof listUsers>;

/**
 * Lists users for `GET /users`. Anonymous callers must give a user name; only administrators can use all filters and
 * orders.
 * @throws ApiError 400, 403, or 405 for keyset pagination with an unsupported order
 */
export function listOfUsers(deps: Deps, caller: Caller, input: Input) {
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
    return byKeyset(inOrder(from, order, direction), (last) => ({
      cursor: writeCursor({ value: String(last[order]), id: last.id }),
    }));
  }
  const { search } = input;
  const relevance = search !== undefined && search !== '' && input.order_by === undefined && input.sort === undefined;
  return relevance ? byRelevance(query, search) : inOrder(query, order, direction);
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
