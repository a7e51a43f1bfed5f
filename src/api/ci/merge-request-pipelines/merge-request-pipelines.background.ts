import { startsPipelines } from '../../../core/change-cause.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { createMergeRequestPipeline } from './merge-request-pipelines.create.ts';

/** Attempts to create a pipeline; until then the next pipeline of the merge request waits. */
const MAX_ATTEMPTS = 6;

type Followed = RecordedEvent<'merge_request.created' | 'merge_request.updated'>;

/** Returns the head from the event: undefined for events without one, null if any head will do. */
function newHead({ type, payload }: Followed): string | null | undefined {
  if (type === 'merge_request.created') return null;
  return ('new_sha' in payload ? payload.new_sha : null) ?? undefined;
}

/** Creates a pipeline that was requested in the background. */
export const CREATE_LATER = jobKind<{ merge_request_id: number; user_id: number }>('ci.merge-request-pipeline', {
  lane: 'ci',
  maxAttempts: MAX_ATTEMPTS,
});

/** Creates pipelines for merge requests that are opened or get new commits. */
export function registerMergeRequestPipelines(deps: Deps): void {
  deps.jobs.register(CREATE_LATER, async ({ merge_request_id: mergeRequestId, user_id: userId }, { id }) => {
    await createMergeRequestPipeline(deps, { mergeRequestId, userId, origin: `job:${id}` });
  });
  deps.events.subscribe({
    name: 'ci.merge-request',
    types: ['merge_request.created', 'merge_request.updated'],
    lane: 'ci',
    maxAttempts: MAX_ATTEMPTS,
    wants: (event) => {
      if ('via' in event.payload && event.payload.via !== undefined && !startsPipelines(event.payload.via))
        return false;
      if (event.actor_id === null || newHead(event) === undefined) return false;
      return [{ orderKey: `ci.merge-request:${event.payload.merge_request_id}` }];
    },
    handle: (event) => follow(deps, event),
  });
}

async function follow(deps: Deps, event: Followed): Promise<void> {
  const { merge_request_id: mergeRequestId } = event.payload;
  const openMergeRequest = await deps.db
    .selectFrom('merge_requests')
    .select('id')
    .where('id', '=', mergeRequestId)
    .where('state', '=', 'opened')
    .executeTakeFirst();
  if (openMergeRequest === undefined || event.actor_id === null) return;
  const head = newHead(event);
  const beforeSha = 'old_sha' in event.payload ? (event.payload.old_sha ?? null) : null;
  await createMergeRequestPipeline(deps, {
    mergeRequestId,
    userId: event.actor_id,
    beforeSha,
    ...(head == null ? {} : { onlyFor: head }),
    origin: `merge_request:${event.id}`,
  });
}
