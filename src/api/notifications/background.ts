import type { DomainEvents } from '../../core/domain-events.ts';
import type { Deps } from '../../deps.ts';
import type { RecordedEvent } from '../../jobs/events.ts';
import { type Dispatch, dispatch, registerDelivery } from './mails/dispatch.ts';
import { registerLedger } from './mails/ledger.ts';
import { ISSUE_EVENTS, isToldOfIssue, newsOfIssue } from './news/issues.ts';
import { newsOfNote, newsOfReview } from './news/notes.ts';

/** Mails people of what happens. Where there is no mail server events cost nothing: nobody wants them. */
export function registerNotifications(deps: Deps): void {
  registerDelivery(deps);
  registerLedger(deps);
  const { events, mailer } = deps;
  events.subscribe({
    name: 'notifications.issue',
    types: ISSUE_EVENTS,
    wants: (event) => mailer.sends && isToldOfIssue(event),
    handle: (event) => tell(deps, event, newsOfIssue(deps, event)),
  });
  events.subscribe({
    name: 'notifications.note',
    types: ['note.created'],
    wants: ({ payload: { note, in_review } }) => mailer.sends && in_review !== true && note?.system !== 1,
    handle: (event) => tell(deps, event, newsOfNote(deps, event.payload.note_id)),
  });
  events.subscribe({
    name: 'notifications.review',
    types: ['merge_request.reviewed'],
    wants: () => mailer.sends,
    handle: async ({ id, payload }) => {
      const { all, internal } = await newsOfReview(deps, payload.note_ids);
      if (all !== undefined) await dispatch(deps, `event:${id}`, all);
      if (internal !== undefined) await dispatch(deps, `event:${id}:internal`, internal);
    },
  });
}

/** Mails what became of an event, once however often it is told. */
async function tell(
  deps: Deps,
  { id }: RecordedEvent<keyof DomainEvents>,
  news: Promise<Dispatch | undefined>,
): Promise<void> {
  const found = await news;
  if (found !== undefined) await dispatch(deps, `event:${id}`, found);
}
