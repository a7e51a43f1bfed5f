import type { DomainEvents } from '../../core/domain-events.ts';
import type { Deps } from '../../deps.ts';
import type { RecordedEvent } from '../../jobs/events.ts';
import { type Dispatch, dispatch, registerDelivery } from './mails/dispatch.ts';
import { registerLedger } from './mails/ledger.ts';
import { registerDaily } from './news/daily.ts';
import { tellInvited } from './news/invitations.ts';
import { ISSUE_EVENTS, isToldOfIssue, newsOfIssue } from './news/issues.ts';
import { isToldOfMembership, MEMBERSHIP_EVENTS, tellOfMembership } from './news/membership.ts';
import { isToldOfMergeRequest, MERGE_REQUEST_EVENTS, newsOfMergeRequest } from './news/merge-requests.ts';
import { newsOfNote, newsOfReview } from './news/notes.ts';
import { isToldOfPipeline, newsOfPipeline } from './news/pipelines.ts';
import { newsOfFailedMirror, newsOfMove, newsOfRelease } from './news/projects.ts';

/** Mails people of what happens. Where there is no mail server events cost nothing: nobody wants them. */
export function registerNotifications(deps: Deps): void {
  registerDelivery(deps);
  registerLedger(deps);
  registerDaily(deps);
  const { events, mailer } = deps;
  events.subscribe({
    name: 'notifications.issue',
    types: ISSUE_EVENTS,
    wants: (event) => mailer.sends && isToldOfIssue(event),
    handle: (event) => tell(deps, event, newsOfIssue(deps, event)),
  });
  events.subscribe({
    name: 'notifications.merge_request',
    types: MERGE_REQUEST_EVENTS,
    wants: (event) => mailer.sends && isToldOfMergeRequest(event),
    handle: (event) => tell(deps, event, newsOfMergeRequest(deps, event)),
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
  events.subscribe({
    name: 'notifications.pipeline',
    types: ['pipeline.updated'],
    wants: (event) => mailer.sends && isToldOfPipeline(event),
    handle: (event) => tell(deps, event, newsOfPipeline(deps, event)),
  });
  events.subscribe({
    name: 'notifications.release',
    types: ['release.created'],
    wants: () => mailer.sends,
    handle: (event) => tell(deps, event, newsOfRelease(deps, event)),
  });
  events.subscribe({
    name: 'notifications.moved_project',
    types: ['project.transferred'],
    wants: () => mailer.sends,
    handle: (event) => tell(deps, event, newsOfMove(deps, event)),
  });
  events.subscribe({
    name: 'notifications.remote_mirror',
    types: ['remote_mirror.failed'],
    wants: () => mailer.sends,
    handle: (event) => tell(deps, event, newsOfFailedMirror(deps, event)),
  });
  events.subscribe({
    name: 'notifications.membership',
    types: MEMBERSHIP_EVENTS,
    wants: (event) => mailer.sends && isToldOfMembership(event),
    handle: (event) => tellOfMembership(deps, event),
  });
  events.subscribe({
    name: 'notifications.invitation',
    types: ['invitation.created'],
    wants: () => mailer.sends,
    handle: ({ payload }) => tellInvited(deps, payload.invitation_id),
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
