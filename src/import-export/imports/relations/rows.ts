import { timestamp } from '../../../core/clock.ts';
import type { Importing } from '../importing.ts';
import { type Given, instant } from '../take.ts';

/** Rows that one statement writes. */
const AT_ONCE = 500;

/** Writes rows a few hundred at a time. */
export async function inParts<T>(rows: readonly T[], insert: (part: T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < rows.length; at += AT_ONCE) await insert(rows.slice(at, at + AT_ONCE));
}

/** When something was begun: now where that is not told. */
export const startedAt = ({ deps }: Importing, given: Given): string =>
  instant(given.created_at) ?? timestamp(deps.clock);

/** When something was made and changed. */
export const dates = (importing: Importing, given: Given): { created_at: string; updated_at: string } => {
  const created_at = startedAt(importing, given);
  return { created_at, updated_at: instant(given.updated_at) ?? created_at };
};
