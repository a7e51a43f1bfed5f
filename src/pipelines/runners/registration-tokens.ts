import type { Insertable } from 'kysely';
import { group, project, recordAudit, INSTANCE as WHOLE_SERVER } from '../../audit/record.audit.ts';
import { type Clock, timestamp } from '../../core/clock.ts';
import { randomText } from '../../core/core.secrets.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiRegistrationTokensTable } from '../../db/tables/ci-registration-tokens.table.ts';
import type { Deps } from '../../deps.ts';

/** Scope of a registration token; both null for the whole instance. */
export interface RegistrationOwner {
  project_id: number | null;
  group_id: number | null;
}

/** Scope of instance runners. */
export const INSTANCE: RegistrationOwner = { project_id: null, group_id: null };

const PREFIX = 'GR1348941';

const newToken = (owner: RegistrationOwner): string =>
  `${owner.project_id === null && owner.group_id === null ? '' : PREFIX}${randomText(20)}`;

const rowOf = (clock: Clock, owner: RegistrationOwner, token: string): Insertable<CiRegistrationTokensTable> => ({
  ...owner,
  token,
  created_at: timestamp(clock),
});

function at(db: Db, { project_id, group_id }: RegistrationOwner) {
  const query = db.selectFrom('ci_registration_tokens').select('token');
  if (project_id !== null) return query.where('project_id', '=', project_id);
  if (group_id !== null) return query.where('group_id', '=', group_id);
  return query.where('project_id', 'is', null).where('group_id', 'is', null);
}

/**
 * Registration token of a scope, created on first use.
 * @param first initial value; default: random
 */
export async function registrationToken(
  { db, clock, snapshot }: Deps,
  owner: RegistrationOwner,
  first?: string,
): Promise<string> {
  const known = await snapshot.get(`registration_token:${owner.project_id}:${owner.group_id}`, () =>
    at(db, owner).executeTakeFirst(),
  );
  if (known !== undefined) return known.token;
  await db
    .insertInto('ci_registration_tokens')
    .values(rowOf(clock, owner, first ?? newToken(owner)))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await at(db, owner).executeTakeFirstOrThrow()).token;
}

/** Resets the token of a scope; registered runners stay. @returns the new token */
export function resetRegistrationToken({ db, clock }: Deps, owner: RegistrationOwner): Promise<string> {
  const token = newToken(owner);
  return db.transaction().execute(async (db) => {
    const { project_id, group_id } = owner;
    let old = db.deleteFrom('ci_registration_tokens');
    if (project_id !== null) old = old.where('project_id', '=', project_id);
    else if (group_id !== null) old = old.where('group_id', '=', group_id);
    else old = old.where('project_id', 'is', null).where('group_id', 'is', null);
    await old.execute();
    await db
      .insertInto('ci_registration_tokens')
      .values(rowOf(clock, owner, token))
      .execute();
    await recordAudit({ clock }, db, {
      name: 'ci_runner_registration_token_reset',
      entity: project_id !== null ? project(project_id) : group_id !== null ? group(group_id) : WHOLE_SERVER,
      message: 'Reset the runner registration token',
    });
    return token;
  });
}

/** Scope of a registration token; undefined for an invalid one. */
export function ownerOfRegistrationToken(db: Db, token: string): Promise<RegistrationOwner | undefined> {
  return db
    .selectFrom('ci_registration_tokens')
    .select(['project_id', 'group_id'])
    .where('token', '=', token)
    .executeTakeFirst();
}
