import { parseJson } from '../db/columns.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import { HOLDER_TYPES, type Holder, type HolderColumn, holderTypes } from './holder.ts';

/** Event kinds for ref changes. */
export const PUSHED = holderTypes.map((type) => HOLDER_TYPES[type].pushed);

/** Reads holder and changes from an event of one of these kinds. */
export function readPushed({
  type: kind,
  project_id,
  payload,
}: {
  type: string;
  project_id: number | null;
  payload: string;
}): Pick<Holder, 'type' | 'id'> & { updates: RefChange[] } {
  const type = holderTypes.find((type) => HOLDER_TYPES[type].pushed === kind)!;
  const event = parseJson<{ updates: RefChange[] } & Partial<Record<HolderColumn, number>>>(payload);
  const id = type === 'project' ? project_id : event[HOLDER_TYPES[type].column];
  return { type, id: id!, updates: event.updates };
}
