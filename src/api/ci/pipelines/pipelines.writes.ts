import { timestamp } from '../../../core/clock.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Deps } from '../../../deps.ts';

/** Renames a pipeline. @returns undefined if it was deleted */
export const renamePipeline = ({ db, clock }: Deps, id: number, name: string): Promise<Pipeline | undefined> =>
  db
    .updateTable('pipelines')
    .set({ name, updated_at: timestamp(clock) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
