import { MEMBER_LEVELS } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import { day, type Given, integer } from '../../../import-export/imports/take.ts';
import { setTracker, trackerOf } from '../../../import-export/imports/trackers.ts';
import type { Reading } from './relations.ts';

const MAX_MEMBERS = 50_000;
const AT_ONCE = 100;
const MEMBERS = 'members';

/** Keeps the memberships of people who are not known here yet, once: they get them with their contributions. */
export async function readMembers(reading: Reading): Promise<void> {
  const { deps, entity, server, importing } = reading;
  const { done } = await trackerOf(deps.db, entity.id, MEMBERS);
  if (done === 1) return;
  const path = `/${entity.entity_type}s/${encodeURIComponent(entity.source_full_path)}/members`;
  let part: Given[] = [];
  for await (const member of server.list(path, MAX_MEMBERS)) {
    await importing.people.introduce(member);
    part.push(member);
    if (part.length < AT_ONCE) continue;
    await keep(reading, part);
    part = [];
  }
  await keep(reading, part);
  await setTracker(deps.db, entity.id, MEMBERS, { done: 1 });
}

async function keep({ deps, importing }: Reading, members: readonly Given[]): Promise<void> {
  const { place, people } = importing;
  const rows = await people.rows(
    deps.db,
    members.flatMap(({ id }) => integer(id, 1) ?? []),
  );
  const known = new Map(rows.map((row) => [Number(row.source_user_identifier), row.id]));
  const values = members.flatMap(({ id, access_level, expires_at }) => {
    const level = MEMBER_LEVELS.find((each) => each === access_level);
    const source_user_id = known.get(integer(id, 1) ?? 0);
    if (level === undefined || source_user_id === undefined) return [];
    const of = {
      group_id: place.kind === 'group' ? place.id : null,
      project_id: place.kind === 'project' ? place.id : null,
    };
    const created_at = timestamp(deps.clock);
    return [{ source_user_id, ...of, access_level: level, expires_at: day(expires_at), created_at }];
  });
  if (values.length === 0) return;
  await deps.db
    .insertInto('import_placeholder_memberships')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
