import { today } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/kinds.ts';
import { usersById } from '../../identity/index.ts';
import { line, lines } from '../mails/block.ts';
import { dispatch } from '../mails/dispatch.ts';
import { tellPeople } from '../mails/personal.ts';
import { placeOf } from '../recipients/place.ts';
import { newsOf } from './changes.ts';
import { companyOf } from './company.ts';
import { letterOf } from './issues.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;
/** How many days before its end a token or key is told of. */
const AHEAD_DAYS = 7;
const DUE = jobKind<Record<string, never>>('notifications.issues-due', { lane: 'slow' });
const EXPIRING = jobKind<Record<string, never>>('notifications.expiring', { lane: 'slow' });

const daysAhead = (deps: Deps, days: number): string =>
  new Date(deps.clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);

/** Names what is told every day: issues that are due on the next one, tokens and keys that end within a week. */
export function registerDaily(deps: Deps): void {
  deps.jobs.every(DUE, { dailyAt: '00:50' }, async (_payload, { signal }) => {
    if (deps.mailer.sends) await tellDue(deps, signal);
  });
  deps.jobs.every(EXPIRING, { dailyAt: '01:10' }, async (_payload, { signal }) => {
    if (deps.mailer.sends) await tellExpiring(deps, signal);
  });
}

async function tellDue(deps: Deps, signal: AbortSignal): Promise<void> {
  const day = daysAhead(deps, 1);
  for (let after = 0; !signal.aborted; ) {
    const rows = await deps.db
      .selectFrom('issues')
      .select('id')
      .where('due_date', '=', day)
      .where('state', '=', 'opened')
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { id } of rows) if (!signal.aborted) await tellIssueDue(deps, id, day);
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.id;
  }
}

/** Who takes part is told, whoever has done what last. */
async function tellIssueDue(deps: Deps, id: number, day: string): Promise<void> {
  const issue = await deps.db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
  const place = issue && (await placeOf(deps.db, issue.project_id));
  if (issue === undefined || place === undefined || issue.due_date !== day || issue.state !== 'opened') return;
  const company = await companyOf(deps, place, { type: 'Issue', id, author_id: issue.author_id });
  const said = [line(`The issue is due on ${day}.`)];
  const parts = [{ said, news: newsOf(company, null, 'issue_due') }];
  await dispatch(deps, `due:${id}:${day}`, letterOf(deps, { issue, place, actor: null }, false, parts));
}

interface Ending {
  user_id: number;
  name: string;
  ends: string;
}

async function tellExpiring(deps: Deps, signal: AbortSignal): Promise<void> {
  const [now, until] = [today(deps.clock), daysAhead(deps, AHEAD_DAYS)];
  for (let after = 0; !signal.aborted; ) {
    const rows = await deps.db
      .selectFrom('access_tokens')
      .select(['id', 'user_id', 'name', 'expires_at as ends'])
      .where('resource_type', 'is', null)
      .where('impersonation', '=', 0)
      .where('revoked', '=', 0)
      .where('expires_at', '>', now)
      .where('expires_at', '<=', until)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const row of rows) await tellEnding(deps, 'token', row.id, { ...row, ends: row.ends! });
    if (rows.length < BATCH) break;
    after = rows.at(-1)!.id;
  }
  for (let after = 0; !signal.aborted; ) {
    const rows = await deps.db
      .selectFrom('ssh_keys')
      .select(['id', 'user_id', 'title as name', 'expires_at as ends'])
      .where('expires_at', '>', deps.clock.now().toISOString())
      .where('expires_at', '<=', `${until}T23:59:59.999Z`)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const row of rows) await tellEnding(deps, 'key', row.id, { ...row, ends: row.ends!.slice(0, 10) });
    if (rows.length < BATCH) break;
    after = rows.at(-1)!.id;
  }
}

async function tellEnding(
  deps: Deps,
  kind: 'token' | 'key',
  id: number,
  { user_id, name, ends }: Ending,
): Promise<void> {
  const user = (await usersById(deps.db, [user_id])).get(user_id);
  if (user === undefined) return;
  const what = kind === 'token' ? 'personal access token' : 'SSH key';
  const where = kind === 'token' ? 'personal_access_tokens' : 'user/keys';
  await tellPeople(deps, {
    occasion: `${kind}:${id}:${ends}`,
    userIds: [user_id],
    letter: {
      subject: `Your ${what} ${name} is about to expire`,
      url: `${deps.externalUrl()}/api/v4/${where}`,
      actor: null,
    },
    said: [line(`Hello ${user.name},`), lines([`your ${what} ${name} ends on ${ends}.`, 'Make a new one in time.'])],
  });
}
