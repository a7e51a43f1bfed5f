import { timestamp } from '../../../core/clock.ts';
import { invalidModel, recordNotFound } from '../../../core/errors.ts';
import { bit } from '../../../db/columns.ts';
import type { BroadcastMessage } from '../../../db/tables/broadcast-messages.ts';
import type { Deps } from '../../../deps.ts';
import type { ChangedBroadcastMessage } from './inputs.ts';

const HOUR = 3_600_000;
/** Colours as style sheets write them: nothing else gets into a page by this way. */
const COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** The columns that are given. @throws ApiError 400 for a blank message, and for a font that is no colour */
function columnsOf({ target_access_levels, dismissable, font, target_path, ...rest }: ChangedBroadcastMessage) {
  if (font !== undefined && !COLOUR.test(font)) throw invalidModel({ font: ['must be a valid color code'] });
  const { starts_at, ends_at, ...plain } = rest;
  if (plain.message?.trim() === '') throw invalidModel({ message: ["can't be blank"] });
  return {
    ...plain,
    ...(starts_at == null ? {} : { starts_at }),
    ...(ends_at == null ? {} : { ends_at }),
    ...(font === undefined ? {} : { font }),
    ...(target_path === undefined ? {} : { target_path: target_path || null }),
    ...(dismissable === undefined ? {} : { dismissable: bit(dismissable) }),
    ...(target_access_levels === undefined
      ? {}
      : { target_access_levels: JSON.stringify([...new Set(target_access_levels)]) }),
  };
}

/** Makes a broadcast message (part 2, section 4.5). @throws ApiError 400 for a blank message, and for a font that is no colour */
export async function createMessage(
  { db, clock, recent }: Deps,
  input: ChangedBroadcastMessage & { message: string },
): Promise<BroadcastMessage> {
  const now = timestamp(clock);
  const row = await db
    .insertInto('broadcast_messages')
    .values({
      starts_at: now,
      ends_at: new Date(clock.now().getTime() + HOUR).toISOString(),
      font: '#FFFFFF',
      theme: 'indigo',
      broadcast_type: 'banner',
      ...columnsOf(input),
      message: input.message,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  recent.forget();
  return row;
}

/** Changes what is given of a broadcast message. @throws ApiError 400 as `createMessage`, 404 */
export async function updateMessage(
  { db, clock, recent }: Deps,
  id: number,
  input: ChangedBroadcastMessage,
): Promise<BroadcastMessage> {
  const row = await db
    .updateTable('broadcast_messages')
    .set({ ...columnsOf(input), updated_at: timestamp(clock) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw recordNotFound();
  recent.forget();
  return row;
}

/** Removes a broadcast message. @throws ApiError 404 */
export async function removeMessage({ db, recent }: Deps, id: number): Promise<void> {
  const { numDeletedRows } = await db.deleteFrom('broadcast_messages').where('id', '=', id).executeTakeFirst();
  if (numDeletedRows === 0n) throw recordNotFound();
  recent.forget();
}
