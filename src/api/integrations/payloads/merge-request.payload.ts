import { timestamp } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { usersById } from '../../identity/index.ts';
import { type AttributeChanges, changedPeople, changesPayload, creationChanges } from './changes.payload.ts';
import { type InitialAssociations, lastEdit } from './issuable.payload.ts';
import { labelPayload } from './labels.payload.ts';
import {
  type MergeRequestForPayload,
  mergeRequestAttributes,
  mergeRequestOf,
} from './merge-request-attributes.payload.ts';
import { isoSeconds } from './payloads.times.ts';
import { fullProjectPayload, repositoryShort } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userPayload, userPayloadOrNull } from './users.payload.ts';

type MergeRequestEvent = RecordedEvent<
  | 'merge_request.created'
  | 'merge_request.updated'
  | 'merge_request.closed'
  | 'merge_request.reopened'
  | 'merge_request.merged'
  | 'merge_request.approved'
  | 'merge_request.unapproved'
>;

const ACTIONS: Readonly<Record<string, string>> = {
  'merge_request.created': 'open',
  'merge_request.updated': 'update',
  'merge_request.closed': 'close',
  'merge_request.reopened': 'reopen',
  'merge_request.merged': 'merge',
};

/** Everything that events about merge requests may contain. */
type Known = InitialAssociations & {
  changes?: AttributeChanges;
  old_sha?: string | null;
  complete?: boolean;
  system_action?: string;
};

function actionOf(type: string, { complete = false }: Known): string {
  if (type === 'merge_request.approved') return complete ? 'approved' : 'approval';
  if (type === 'merge_request.unapproved') return complete ? 'unapproved' : 'unapproval';
  return ACTIONS[type]!;
}

/** Changes that follow from the action itself. */
function ownChanges(type: string, { row }: MergeRequestForPayload): AttributeChanges {
  switch (type) {
    case 'merge_request.created': {
      const { id, iid, project_id, source_project_id, author_id, source_branch, target_branch } = row;
      const { title, description, created_at, updated_at } = row;
      const ids = { id, iid, target_project_id: project_id, source_project_id, author_id };
      return creationChanges({ ...ids, source_branch, target_branch, title, description, created_at, updated_at });
    }
    case 'merge_request.closed':
      return { state_id: [1, 2] };
    case 'merge_request.reopened':
      return { state_id: [2, 1] };
    case 'merge_request.merged':
      return { state_id: [1, 3] };
    default:
      return {};
  }
}

async function build(
  deps: Deps,
  mergeRequest: MergeRequestForPayload,
  action: string,
  known: Known & { changes: AttributeChanges },
  { actor_id, created_at }: Pick<MergeRequestEvent, 'actor_id' | 'created_at'>,
): Promise<BuiltPayload> {
  const { changes, old_sha, system_action } = known;
  const people = await usersById(deps.db, [actor_id, ...changedPeople(changes)]);
  const edit = action === 'update' ? lastEdit(changes, isoSeconds(created_at), actor_id) : {};
  const pushed = old_sha == null ? {} : { oldrev: old_sha };
  const payload = {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: userPayloadOrNull(deps, people.get(actor_id ?? 0)),
    project: fullProjectPayload(deps, mergeRequest.target),
    object_attributes: {
      ...mergeRequestAttributes(deps, mergeRequest, isoSeconds, changes),
      ...edit,
      action,
      ...pushed,
      system: system_action !== undefined,
      ...(system_action === undefined ? {} : { system_action }),
    },
    labels: mergeRequest.labels.map(labelPayload),
    changes: changesPayload(changes, (id) => userPayloadOrNull(deps, people.get(id)) ?? undefined),
    repository: repositoryShort(deps, mergeRequest.target),
    assignees: mergeRequest.assignees.map((user) => userPayload(deps, user)),
    reviewers: mergeRequest.reviewers.map(({ user, state }) => ({ ...userPayload(deps, user), state })),
  };
  return { projectId: mergeRequest.row.project_id, payload };
}

/** Payload for hooks and system hooks for a merge request, in its state at the event. */
export async function mergeRequestEvent(deps: Deps, event: MergeRequestEvent): Promise<BuiltPayload | undefined> {
  const known = event.payload as Known;
  const mergeRequest = await mergeRequestOf(deps, event.payload, known);
  if (mergeRequest === undefined) return undefined;
  const changes = known.changes ?? ownChanges(event.type, mergeRequest);
  return build(deps, mergeRequest, actionOf(event.type, known), { ...known, changes }, event);
}

/** Returns the payload of the last merge request as if just opened, for tests of hooks; undefined if there is none. */
export async function sampleMergeRequest(
  deps: Deps,
  projectId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('merge_requests')
    .select(['id', 'project_id'])
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const mergeRequest = row && (await mergeRequestOf(deps, { merge_request_id: row.id, project_id: projectId }, {}));
  if (mergeRequest === undefined) return undefined;
  const at = { actor_id: userId, created_at: timestamp(deps.clock) };
  return build(deps, mergeRequest, 'open', { changes: {} }, at);
}
