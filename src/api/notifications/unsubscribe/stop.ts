import { notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { issueUrl, mergeRequestUrl, storeSubscription } from '../../planning/index.ts';
import { readKey, type UnsubscribeKey } from './unsubscribe.key.ts';

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const;
const URLS = { Issue: issueUrl, MergeRequest: mergeRequestUrl } as const;

/** Reads a key. @throws ApiError 404 if it is invalid, or if its object no longer exists */
export async function requireKey(
  deps: Deps,
  key: string,
): Promise<UnsubscribeKey & { url: string; projectId: number }> {
  const unsubscribeKey = await readKey(deps, key);
  if (unsubscribeKey === undefined) throw notFound();
  const { type, id } = unsubscribeKey.followed;
  const { db } = deps;
  const row = await db.selectFrom(TABLES[type]).select(['iid', 'project_id']).where('id', '=', id).executeTakeFirst();
  const user = await db.selectFrom('users').select('id').where('id', '=', unsubscribeKey.userId).executeTakeFirst();
  if (row === undefined || user === undefined) throw notFound();
  const project = await db
    .selectFrom('projects')
    .select('full_path')
    .where('id', '=', row.project_id)
    .executeTakeFirstOrThrow();
  return { ...unsubscribeKey, url: URLS[type](deps, project.full_path, row.iid), projectId: row.project_id };
}

/** Unsubscribes the user of a key from its object. */
export async function stopFollowing(
  deps: Deps,
  { followed, userId, projectId }: UnsubscribeKey & { projectId: number },
): Promise<void> {
  await storeSubscription(deps, deps.db, { ...followed, project_id: projectId }, userId, false);
}
