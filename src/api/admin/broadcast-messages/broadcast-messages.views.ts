import { parseJson } from '../../../db/columns.ts';
import type { BroadcastMessage as Row } from '../../../db/tables/broadcast-messages.table.ts';
import type { BroadcastMessage } from './broadcast-messages.responses.ts';

/** Whether a message is active at an instant (`YYYY-MM-DDTHH:MM:SS.mmmZ`). */
export const isActive = ({ starts_at, ends_at }: Pick<Row, 'starts_at' | 'ends_at'>, now: string): boolean =>
  starts_at <= now && now <= ends_at;

/** A broadcast message as responses show it. @param now as in `isActive` */
export const presentMessage = (row: Row, now: string): BroadcastMessage => ({
  id: row.id,
  message: row.message,
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  font: row.font,
  active: isActive(row, now),
  target_access_levels: parseJson<number[]>(row.target_access_levels),
  target_path: row.target_path,
  broadcast_type: row.broadcast_type,
  theme: row.theme,
  dismissable: row.dismissable === 1,
});
