import type { DomainEvents } from '../../core/core.domain-events.ts';
import type { Deps } from '../../deps.ts';
import type { RecordedEvent } from '../../jobs/jobs.events.ts';
import { type Dispatch, dispatch, registerDelivery } from './mails/dispatch.ts';
import { registerMailLog } from './mails/mail-log.ts';
import { registerDaily } from './messages/daily.ts';
import { notifyInvited } from './messages/messages.invitations.ts';
import { ISSUE_EVENTS, issueMessages, notifiesOfIssue } from './messages/messages.issues.ts';
import { MEMBERSHIP_EVENTS, notifiesOfMembership, notifyOfMembership } from './messages/messages.membership.ts';
import {
  MERGE_REQUEST_EVENTS,
  mergeRequestMessages,
  notifiesOfMergeRequest,
} from './messages/messages.merge-requests.ts';
import { noteMessages, reviewMessages } from './messages/messages.notes.ts';
import { notifiesOfPipeline, pipelineMessages } from './messages/messages.pipelines.ts';
import { failedMirrorMessages, projectMoveMessages, releaseMessages } from './messages/messages.projects.ts';

/** Registers the notification mails. Without a mail server no subscription wants events, so they cost nothing. */
export function registerNotifications(deps: Deps): void {
  registerDelivery(deps);
  registerMailLog(deps);
  registerDaily(deps);
  const { events, mailer } = deps;
  events.subscribe({
    name: 'notifications.issue',
    types: ISSUE_EVENTS,
    wants: (event) => mailer.sends && notifiesOfIssue(event),
    handle: (event) => tell(deps, event, issueMessages(deps, event)),
  });
  events.subscribe({
    name: 'notifications.merge_request',
    types: MERGE_REQUEST_EVENTS,
    wants: (event) => mailer.sends && notifiesOfMergeRequest(event),
    handle: (event) => tell(deps, event, mergeRequestMessages(deps, event)),
  });
  events.subscribe({
    name: 'notifications.note',
    types: ['note.created'],
    wants: ({ payload: { note, in_review } }) => mailer.sends && in_review !== true && note?.system !== 1,
    handle: (event) => tell(deps, event, noteMessages(deps, event.payload.note_id)),
  });
  events.subscribe({
    name: 'notifications.review',
    types: ['merge_request.reviewed'],
    wants: () => mailer.sends,
    handle: async ({ id, payload }) => {
      const { all, internal } = await reviewMessages(deps, payload.note_ids);
      if (all !== undefined) await dispatch(deps, `event:${id}`, all);
      if (internal !== undefined) await dispatch(deps, `event:${id}:internal`, internal);
    },
  });
  events.subscribe({
    name: 'notifications.pipeline',
    types: ['pipeline.updated'],
    wants: (event) => mailer.sends && notifiesOfPipeline(event),
    handle: (event) => tell(deps, event, pipelineMessages(deps, event)),
  });
  events.subscribe({
    name: 'notifications.release',
    types: ['release.created'],
    wants: () => mailer.sends,
    handle: (event) => tell(deps, event, releaseMessages(deps, event)),
  });
  events.subscribe({
    name: 'notifications.moved_project',
    types: ['project.transferred'],
    wants: () => mailer.sends,
    handle: (event) => tell(deps, event, projectMoveMessages(deps, event)),
  });
  events.subscribe({
    name: 'notifications.remote_mirror',
    types: ['remote_mirror.failed'],
    wants: () => mailer.sends,
    handle: (event) => tell(deps, event, failedMirrorMessages(deps, event)),
  });
  events.subscribe({
    name: 'notifications.membership',
    types: MEMBERSHIP_EVENTS,
    wants: (event) => mailer.sends && notifiesOfMembership(event),
    handle: (event) => notifyOfMembership(deps, event),
  });
  events.subscribe({
    name: 'notifications.invitation',
    types: ['invitation.created'],
    wants: () => mailer.sends,
    handle: ({ payload }) => notifyInvited(deps, payload.invitation_id),
  });
}

/** Sends the mails of an event; idempotent. */
async function tell(
  deps: Deps,
  { id }: RecordedEvent<keyof DomainEvents>,
  news: Promise<Dispatch | undefined>,
): Promise<void> {
  const mails = await news;
  if (mails !== undefined) await dispatch(deps, `event:${id}`, mails);
}
