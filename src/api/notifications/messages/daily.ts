import { inBatches } from '../../../db/in-batches.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { dispatch } from '../mails/dispatch.ts';
import { line } from '../mails/notification-mails.block.ts';
import { projectContextOf } from '../recipients/project-context.ts';
import { loadParticipants } from './message-participants.ts';
import { messageOf } from './messages.changes.ts';
import { notifyExpiringTokens } from './messages.expiring-tokens.ts';
import { remindInvited } from './messages.invitations.ts';
import { mailDraftOf } from './messages.issues.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;
const DUE = jobKind<Record<string, never>>('notifications.issues-due', { lane: 'slow' });
const EXPIRING = jobKind<Record<string, never>>('notifications.expiring', { lane: 'slow' });

const REMIND = jobKind<Record<string, never>>('notifications.remind-invited', { lane: 'slow' });

/**
 * Registers the daily mails: issues that are due tomorrow, tokens and keys that expire within a week, reminders of
 * invitations.
 */
export function registerDaily(deps: Deps): void {
  deps.jobs.every(DUE, { dailyAt: '00:50' }, async (_payload, { signal }) => {
    if (deps.mailer.sends) await tellDue(deps, signal);
  });
  deps.jobs.every(EXPIRING, { dailyAt: '01:10' }, async (_payload, { signal }) => {
    if (deps.mailer.sends) await notifyExpiringTokens(deps, signal);
  });
  deps.jobs.every(REMIND, { dailyAt: '01:20' }, async (_payload, { signal }) => {
    if (deps.mailer.sends) await remindInvited(deps, signal);
  });
}

async function tellDue(deps: Deps, signal: AbortSignal): Promise<void> {
  const day = new Date(deps.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10);
  const due = deps.db.selectFrom('issues').select('id').where('due_date', '=', day).where('state', '=', 'opened');
  for await (const rows of inBatches(due, BATCH, 'id')) {
    if (signal.aborted) return;
    for (const { id } of rows) if (!signal.aborted) await tellIssueDue(deps, id, day);
  }
}

/** Sends due date mails to the participants of an issue. */
async function tellIssueDue(deps: Deps, id: number, day: string): Promise<void> {
  const issue = await deps.db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
  const place = issue && (await projectContextOf(deps.db, issue.project_id));
  if (issue === undefined || place === undefined || issue.due_date !== day || issue.state !== 'opened') return;
  const participants = await loadParticipants(deps, place, { type: 'Issue', id, author_id: issue.author_id });
  const sentences = [line(`The issue is due on ${day}.`)];
  const parts = [{ sentences, message: messageOf(participants, null, 'issue_due') }];
  await dispatch(deps, `due:${id}:${day}`, mailDraftOf(deps, { issue, place, actor: null }, false, parts));
}
