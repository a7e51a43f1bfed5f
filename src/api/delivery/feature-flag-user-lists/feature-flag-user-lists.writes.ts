import type { Caller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError, type FieldErrors, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import type { FeatureFlagUserList } from '../../../db/tables/feature-flag-user-lists.table.ts';
import type { Deps } from '../../../deps.ts';
import { areUserIds, USER_IDS_RULE } from '../../../feature-flags/user-ids.ts';
import { changeFlags, requireWithinSizeLimit } from '../flags-client.ts';
import { invalidRecord } from '../model-errors.ts';

type Fields = Pick<FeatureFlagUserList, 'name' | 'user_xids'>;

const MAX_NAME = 255;

/** Query for the user lists of a project, oldest first. */
export const userListsOf = (db: Db, projectId: number) =>
  db.selectFrom('feature_flag_user_lists').selectAll().where('project_id', '=', projectId).orderBy('iid');

/** @throws ApiError 404 */
export async function findUserList(db: Db, projectId: number, iid: number): Promise<FeatureFlagUserList> {
  const list = await userListsOf(db, projectId).where('iid', '=', iid).executeTakeFirst();
  if (list === undefined) throw notFound();
  return list;
}

/** @param own id of the list, if it exists @throws ApiError 400 */
async function check(db: Db, projectId: number, { name, user_xids }: Fields, own?: number): Promise<void> {
  const same = await userListsOf(db, projectId).where('name', '=', name).executeTakeFirst();
  const errors: FieldErrors = {
    name: [
      ...(name.trim() === '' ? ["can't be blank"] : []),
      ...(name.length > MAX_NAME ? [`is too long (maximum is ${MAX_NAME} characters)`] : []),
      ...(same !== undefined && same.id !== own ? ['has already been taken'] : []),
    ],
    user_xids: areUserIds(user_xids) ? [] : [`user_xids ${USER_IDS_RULE}`],
  };
  const wrong = Object.entries(errors).filter(([, texts]) => texts.length > 0);
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
}

/** @throws ApiError 400, 401, 403, 404 */
export function createUserList(
  deps: Deps,
  caller: Caller,
  projectId: number,
  { name, user_xids }: Fields,
): Promise<FeatureFlagUserList> {
  return changeFlags(deps, caller, projectId, async (db) => {
    await check(db, projectId, { name, user_xids });
    const now = timestamp(deps.clock);
    const scope = { source_type: 'project', source_id: projectId, usage: 'feature_flag_user_lists' } as const;
    const row = await db
      .insertInto('feature_flag_user_lists')
      .values({
        project_id: projectId,
        iid: await nextIid(db, scope),
        name,
        user_xids,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await requireWithinSizeLimit(db, projectId);
    return row;
  });
}

/** Updates the given attributes. @throws ApiError 400, 401, 403, 404 */
export function updateUserList(
  deps: Deps,
  caller: Caller,
  projectId: number,
  iid: number,
  input: { name?: string; user_xids?: string },
): Promise<FeatureFlagUserList> {
  return changeFlags(deps, caller, projectId, async (db) => {
    const list = await findUserList(db, projectId, iid);
    const { name = list.name, user_xids = list.user_xids } = input;
    await check(db, projectId, { name, user_xids }, list.id);
    const row = await db
      .updateTable('feature_flag_user_lists')
      .set({ name, user_xids, updated_at: timestamp(deps.clock) })
      .where('id', '=', list.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await requireWithinSizeLimit(db, projectId);
    return row;
  });
}

/**
 * Deletes a list that no strategy uses.
 * @param check receives the list before deletion
 * @throws ApiError 401, 403, 404, 409, and errors of `check`
 */
export function deleteUserList(
  deps: Deps,
  caller: Caller,
  projectId: number,
  iid: number,
  check: (list: FeatureFlagUserList) => void,
): Promise<void> {
  return changeFlags(deps, caller, projectId, async (db) => {
    const list = await findUserList(db, projectId, iid);
    check(list);
    const used = await db
      .selectFrom('feature_flag_strategies')
      .select('id')
      .where('user_list_id', '=', list.id)
      .executeTakeFirst();
    if (used !== undefined) {
      const text = 'User list is associated with a strategy';
      throw new ApiError(409, text, { errors: { base: [text] } });
    }
    await db.deleteFrom('feature_flag_user_lists').where('id', '=', list.id).execute();
  });
}
