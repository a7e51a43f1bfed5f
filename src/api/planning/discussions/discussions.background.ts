import { timestamp } from '../../../core/clock.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { MergeRequestDiff } from '../../../db/tables/merge-request-diffs.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { settingsOf } from '../../spaces/index.ts';
import { lockMergeRequest } from '../merge-requests/lifecycle/merge-requests.lock.ts';
import { refreshMergeRequest } from '../merge-requests/mergeability/refresh.ts';
import type { Position } from '../notes/notes.responses.ts';
import { recordResolution } from '../notes/notes.writes.ts';
import { markOutdated } from '../suggestions/mark-outdated.ts';
import { followPosition } from './follow.ts';

/** Maximum number of line threads to reposition after a push; the newest take precedence. */
const MAX_THREADS = 500;

/** Registers the repositioning of line threads of merge requests, with their suggestions, after pushes. */
export function registerLineWork(deps: Deps): void {
  deps.events.subscribe({
    name: 'discussions.lines',
    types: ['merge_request.updated'],
    lane: 'git',
    wants: ({ payload }) => payload.new_sha != null,
    handle: async ({ payload, actor_id }) => {
      const mergeRequest = await deps.db
        .selectFrom('merge_requests')
        .select('id')
        .where('id', '=', payload.merge_request_id)
        .where('state', 'in', ['opened', 'locked'])
        .executeTakeFirst();
      if (mergeRequest !== undefined)
        await followLines(deps, await refreshMergeRequest(deps, mergeRequest.id), actor_id);
    },
  });
}

interface Thread {
  discussion_id: string;
  position: string;
}

async function followLines(deps: Deps, mergeRequest: MergeRequest, actorId: number | null): Promise<void> {
  const { db } = deps;
  const versions = await db
    .selectFrom('merge_request_diffs')
    .selectAll()
    .where('merge_request_id', '=', mergeRequest.id)
    .execute();
  const latest = versions.find(({ id }) => id === mergeRequest.latest_diff_id);
  const project = await db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', mergeRequest.project_id)
    .executeTakeFirst();
  if (latest === undefined || latest.head_commit_sha !== mergeRequest.head_sha || project === undefined) return;
  const repo = repositoryOf(deps, project);
  const resolve = settingsOf(project).resolve_outdated_diff_discussions;
  for (const thread of await threadsOf(db, mergeRequest.id)) {
    const position = parseJson<Position>(thread.position);
    const follows = position.position_type === 'text' && versions.some((version) => isOf(position, version));
    if (!follows || isOf(position, latest)) continue;
    const fate = await followPosition(repo, position, latest);
    if (fate === undefined) continue;
    await db.transaction().execute(async (db) => {
      const locked = await lockMergeRequest(db, mergeRequest.id);
      if (locked?.head_sha !== latest.head_commit_sha) return;
      if (fate !== 'outdated') await move(db, thread, fate);
      else await leave(deps, db, mergeRequest, thread, resolve ? (actorId ?? mergeRequest.author_id) : null);
    });
  }
  await markOutdated(deps, repo, mergeRequest.id, latest.head_commit_sha);
}

/** Whether a position belongs to the diff of a version. */
const isOf = (position: Position, version: MergeRequestDiff): boolean =>
  position.head_sha === version.head_commit_sha &&
  position.base_sha === version.base_commit_sha &&
  position.start_sha === version.start_commit_sha;

const threadsOf = (db: Db, mergeRequestId: number): Promise<Thread[]> =>
  db
    .selectFrom('notes')
    .select(['discussion_id', 'position'])
    .distinct()
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', mergeRequestId)
    .where('type', '=', 'DiffNote')
    .where('position', 'is not', null)
    .where('commit_id', 'is', null)
    .where('diff_refs_outdated', '=', 0)
    .limit(MAX_THREADS)
    .$narrowType<{ position: string }>()
    .execute();

async function move(db: Db, { discussion_id, position }: Thread, to: Position): Promise<void> {
  await db
    .updateTable('notes')
    .set({ position: JSON.stringify(to) })
    .where('discussion_id', '=', discussion_id)
    .where('position', '=', position)
    .execute();
}

/**
 * Marks a thread as outdated, on the last version with its line.
 * @param resolver id of the user who resolves it by that; null for none
 */
async function leave(
  deps: Deps,
  db: Db,
  mergeRequest: MergeRequest,
  { discussion_id }: Thread,
  resolver: number | null,
): Promise<void> {
  await db.updateTable('notes').set({ diff_refs_outdated: 1 }).where('discussion_id', '=', discussion_id).execute();
  if (resolver === null) return;
  const resolved = await db
    .updateTable('notes')
    .set({ resolved_at: timestamp(deps.clock), resolved_by_id: resolver })
    .where('discussion_id', '=', discussion_id)
    .where('noteable_id', '=', mergeRequest.id)
    .where('system', '=', 0)
    .where('resolved_at', 'is', null)
    .returningAll()
    .execute();
  if (resolved.length > 0) await recordResolution(deps, db, resolved[0]!, resolver);
}
