import { addressKey } from '../core/fair-slots.ts';
import { currentScope } from '../core/request-scope.ts';
import { truncate } from '../core/truncate.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { INSTANCE, recordAudit } from './record.audit.ts';
import type { ReportedSignInFailure, SignInFailureReports } from './sign-in-failure-reports.ts';

const FAILED = 'login_failed_with_standard_authentication';
/** Days that failed sign-ins are kept; together with the hourly limit this bounds their number. */
const RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;
const BATCH = 1_000;
const MAX_NAME = 255;

const FURTHER: Partial<Record<ReportedSignInFailure, string>> = {
  'last of address': 'Further failures from this address are not recorded in this hour',
  'last of all': 'Further failures are not recorded in this hour',
};

/**
 * Records a failed sign-in with a password, within the limits of `reports`.
 * @param name name as given, whether such a user exists or not
 * @param userId id of the user with that name
 * @param address address of the client; that of the current request by default
 */
export async function recordFailedSignIn(
  deps: Pick<Deps, 'clock' | 'db'>,
  reports: SignInFailureReports,
  name: string,
  userId: number | null,
  address = currentScope().origin?.address ?? '',
): Promise<void> {
  const entry = reports.reportsFor(addressKey(address));
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

/** Deletes failed sign-ins older than the retention period. */
export async function pruneFailedSignIns(deps: Pick<Deps, 'clock' | 'db'>, signal: AbortSignal): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - RETENTION_DAYS * DAY_MS).toISOString();
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
