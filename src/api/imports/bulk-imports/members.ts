import { MEMBER_LEVELS } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import { day, type Given } from '../../../import-export/imports/take.ts';
import type { Reading } from './relations.ts';

const MAX_MEMBERS = 50_000;

/** Keeps the memberships of people who are not known here yet: they get them with their contributions. */
export async function readMembers({ deps, entity, server, importing }: Reading): Promise<void> {
  const path = `/${entity.entity_type}s/${encodeURIComponent(entity.source_full_path)}/members`;
  const { place, people } = importing;
  for await (const member of server.list(path, MAX_MEMBERS)) {
    const level = levelOf(member);
    if (level === null || typeof member.id !== 'number') continue;
    await people.introduce(member);
    const [person] = await people.rows([member.id]);
    if (person === undefined) continue;
    await deps.db
      .insertInto('import_placeholder_memberships')
      .values({
        source_user_id: person.id,
        group_id: place.kind === 'group' ? place.id : null,
        project_id: place.kind === 'project' ? place.id : null,
        access_level: level,
        expires_at: day(member.expires_at),
        created_at: timestamp(deps.clock),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

const levelOf = ({ access_level }: Given): number | null =>
  MEMBER_LEVELS.find((level) => level === access_level) ?? null;
