import { timestamp } from '../../../core/clock.ts';
import { coerceInstant, type ImportedObject } from '../coerce-import.ts';
import type { ImportContext } from '../import-context.ts';

/** Maximum number of rows per statement. */
const BATCH_SIZE = 500;

/** Inserts rows in batches. */
export async function insertInBatches<T>(rows: readonly T[], insert: (part: T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH_SIZE) await insert(rows.slice(at, at + BATCH_SIZE));
}

/** Creation time; defaults to now. */
export const startedAt = ({ deps }: ImportContext, object: ImportedObject): string =>
  coerceInstant(object.created_at) ?? timestamp(deps.clock);

/** Times of creation and last change. */
export const dates = (context: ImportContext, object: ImportedObject): { created_at: string; updated_at: string } => {
  const created_at = startedAt(context, object);
  return { created_at, updated_at: coerceInstant(object.updated_at) ?? created_at };
};
