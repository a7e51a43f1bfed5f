import { parseJson } from '../db/columns.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import { HOLDER_TYPES, type Holder, type HolderColumn, holderTypes } from './holder.ts';

/** Event kinds for ref changes. */
export const PUSHED = holderTypes.map((type) => HOLDER_TYPES[type].pushed);

/** Reads holder and changes from an event of one of these kinds. */
export function readPushed({
  type: kind,
  payload,
}: {
  type: string;
  payload: string;
}): Pick<Holder, 'type' | 'id'> & { updates: RefChange[] } {
  const type = holderTypes.find((type) => HOLDER_TYPES[type].pushed === kind)!;
  const event = parseJson<{ updates: RefChange[] } & Partial<Record<HolderColumn, number>>>(payload);
  return { type, id: event[HOLDER_TYPES[type].column]!, updates: event.updates };
}
