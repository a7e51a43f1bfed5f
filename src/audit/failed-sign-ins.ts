import type { ReportedSignInFailure } from '../access/sign-in-failure-reports.ts';
import { addressKey } from '../core/fair-slots.ts';
import { currentScope } from '../core/request-scope.ts';
import { truncate } from '../core/truncate.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { INSTANCE, recordAudit } from './record.audit.ts';

const FAILED = 'login_failed_with_standard_authentication';
/** Days that failed sign-ins are kept; with the bound of an hour this is what they take up at most. */
const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;
const BATCH = 1_000;
const MAX_NAME = 255;

const FURTHER: Partial<Record<ReportedSignInFailure, string>> = {
  'last of address': 'Further failures from this address are not told of in this hour',
  'last of all': 'Further failures are not told of in this hour',
};

/**
 * Records that somebody did not sign in by a password, as far as the bounds of `SignInFailureReports` allow.
 * @param name as it was given, whether there is such a user or not
 * @param userId of the user of that name
 * @param address where it came from; that of the request at hand when absent
 */
export async function recordFailedSignIn(
  deps: Pick<Deps, 'clock' | 'db' | 'passwords'>,
  name: string,
  userId: number | null,
  address = currentScope().origin?.address ?? '',
): Promise<void> {
  const entry = deps.passwords.reports.reportsFor(addressKey(address));
  if (entry === 'none') return;
  const login = truncate(name, MAX_NAME);
  const further = FURTHER[entry];
  await recordAudit(deps, deps.db, {
    name: FAILED,
    entity: INSTANCE,
    target: { id: userId, type: 'User', details: login },
    message: 'Failed to login with STANDARD authentication',
    more: { failed_login: 'STANDARD', ...(further === undefined ? {} : { further }) },
    origin: {
      author: { id: -1, name: login, email: null, type: 'Gitlab::Audit::UnauthenticatedAuthor' },
      sudoBy: null,
      address,
    },
  });
}

/** Removes failed sign-ins whose days are over. */
export async function pruneFailedSignIns(deps: Pick<Deps, 'clock' | 'db'>, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - KEPT_DAYS * DAY_MS).toISOString();
  for (let deleted = BATCH; deleted === BATCH; ) {
    signal.throwIfAborted();
    deleted = await forgetSome(deps.db, before);
  }
}

async function forgetSome(db: Db, before: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('audit_events')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('audit_events')
        .select('id')
        .where('entity_type', '=', INSTANCE.type)
        .where('entity_id', '=', INSTANCE.id)
        .where('author_id', '=', -1)
        .where('created_at', '<', before)
        .where('event_name', '=', FAILED)
        .limit(BATCH),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
