import { type Clock, timestamp } from '../core/clock.ts';
import { randomText } from '../core/core.secrets.ts';
import type { Db } from '../db/db.schema.ts';

/** An instance id by which the programs of a project are known. */
export const newToken = (): string => `glffct-${randomText(20)}`;

/** What the programs of a project have in common, as it is made first. */
export const newClient = (clock: Clock, projectId: number) => ({
  project_id: projectId,
  token: newToken(),
  created_at: timestamp(clock),
});

/** Notes that the flags of a project change: others who change them wait for the end of the transaction. */
export function countChange(db: Db, clock: Clock, projectId: number, columns: { token?: string } = {}) {
  return db
    .insertInto('feature_flags_clients')
    .values({ ...newClient(clock, projectId), ...columns })
    .onConflict((conflict) =>
      conflict
        .column('project_id')
        .doUpdateSet((eb) => ({ version: eb('feature_flags_clients.version', '+', 1), ...columns })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}
