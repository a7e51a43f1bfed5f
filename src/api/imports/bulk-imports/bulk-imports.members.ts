import { MEMBER_LEVELS } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import { coerceDay, coerceInteger, type ImportedObject } from '../../../import-export/imports/coerce-import.ts';
import { setTracker, trackerOf } from '../../../import-export/imports/trackers.ts';
import type { RelationImport } from './relations.ts';

const MAX_MEMBERS = 50_000;
const BATCH_SIZE = 100;
const MEMBERS = 'members';

/** Stores the memberships of users who are unknown here; they are granted when contributions are reassigned. */
export async function readMembers(relationImport: RelationImport): Promise<void> {
  const { deps, entity, server, importContext } = relationImport;
  const { done } = await trackerOf(deps.db, entity.id, MEMBERS);
  if (done === 1) return;
  const path = `/${entity.entity_type}s/${encodeURIComponent(entity.source_full_path)}/members`;
  let part: ImportedObject[] = [];
  for await (const member of server.list(path, MAX_MEMBERS)) {
    await importContext.users.add(member);
    part.push(member);
    if (part.length < BATCH_SIZE) continue;
    await keep(relationImport, part);
    part = [];
  }
  await keep(relationImport, part);
  await setTracker(deps.db, entity.id, MEMBERS, { done: 1 });
}

async function keep({ deps, importContext }: RelationImport, members: readonly ImportedObject[]): Promise<void> {
  const { place, users: people } = importContext;
  const rows = await people.rows(
    deps.db,
    members.flatMap(({ id }) => coerceInteger(id, 1) ?? []),
  );
  const known = new Map(rows.map((row) => [Number(row.source_user_identifier), row.id]));
  const values = members.flatMap(({ id, access_level, expires_at }) => {
    const level = MEMBER_LEVELS.find((each) => each === access_level);
    const source_user_id = known.get(coerceInteger(id, 1) ?? 0);
    if (level === undefined || source_user_id === undefined) return [];
    const of = {
      group_id: place.kind === 'group' ? place.id : null,
      project_id: place.kind === 'project' ? place.id : null,
    };
    const created_at = timestamp(deps.clock);
    return [{ source_user_id, ...of, access_level: level, expires_at: coerceDay(expires_at), created_at }];
  });
  if (values.length === 0) return;
  await deps.db
    .insertInto('import_placeholder_memberships')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
