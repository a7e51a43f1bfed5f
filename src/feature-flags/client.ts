import { type Clock, timestamp } from '../core/clock.ts';
import { randomText } from '../core/core.secrets.ts';
import type { Db } from '../db/db.schema.ts';

/** A new instance id for the feature flags clients of a project. */
export const newToken = (): string => `glffct-${randomText(20)}`;

/** The initial row for the feature flags clients of a project. */
export const newClient = (clock: Clock, projectId: number) => ({
  project_id: projectId,
  token: newToken(),
  created_at: timestamp(clock),
});

/** Increments the version of the flags of a project, which locks them until the end of the transaction. */
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
