import { INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, recordNotFound } from '../../../core/core.errors.ts';
import { truncate } from '../../../core/truncate.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { BroadcastMessage } from '../../../db/tables/broadcast-messages.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ChangedBroadcastMessage } from './broadcast-messages.inputs.ts';

const HOUR = 3_600_000;
/** Maximum length of the message text in an audit event. */
const MAX_AUDITED_LENGTH = 255;
/** CSS hex colours; nothing else may get into a page this way. */
const COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Columns of the given attributes. @throws ApiError 400 for a blank message or an invalid colour */
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

/** Creates a broadcast message (part 2, section 4.5). @throws ApiError 400 for a blank message or an invalid colour */
export async function createMessage(
  deps: Deps,
  input: ChangedBroadcastMessage & { message: string },
): Promise<BroadcastMessage> {
  const now = timestamp(deps.clock);
  const values = {
    starts_at: now,
    ends_at: new Date(deps.clock.now().getTime() + HOUR).toISOString(),
    font: '#FFFFFF',
    theme: 'indigo' as const,
    broadcast_type: 'banner' as const,
    ...columnsOf(input),
    message: input.message,
    created_at: now,
    updated_at: now,
  };
  const row = await deps.db.transaction().execute(async (db) => {
    const made = await db.insertInto('broadcast_messages').values(values).returningAll().executeTakeFirstOrThrow();
    await recordMessage(deps, db, 'created', made);
    return made;
  });
  deps.recent.invalidate();
  return row;
}

const recordMessage = (
  deps: Deps,
  db: Db,
  happened: 'created' | 'updated' | 'deleted',
  { id, message }: Pick<BroadcastMessage, 'id' | 'message'>,
): Promise<void> =>
  recordAudit(deps, db, {
    name: `broadcast_message_${happened}`,
    entity: INSTANCE,
    target: { id, type: 'System::BroadcastMessage', details: truncate(message, MAX_AUDITED_LENGTH) },
    message: `Broadcast message was ${happened}`,
  });

/** Changes the given attributes of a broadcast message. @throws ApiError 400 as `createMessage`, 404 */
export async function updateMessage(deps: Deps, id: number, input: ChangedBroadcastMessage): Promise<BroadcastMessage> {
  const columns = { ...columnsOf(input), updated_at: timestamp(deps.clock) };
  const row = await deps.db.transaction().execute(async (db) => {
    const changed = await db
      .updateTable('broadcast_messages')
      .set(columns)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    await recordMessage(deps, db, 'updated', changed);
    return changed;
  });
  deps.recent.invalidate();
  return row;
}

/** Removes a broadcast message. @throws ApiError 404 */
export async function removeMessage(deps: Deps, id: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const gone = await db
      .deleteFrom('broadcast_messages')
      .where('id', '=', id)
      .returning(['id', 'message'])
      .executeTakeFirstOrThrow(recordNotFound);
    await recordMessage(deps, db, 'deleted', gone);
  });
  deps.recent.invalidate();
}
