import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** What a hook has still to be told, an event each, in the order of their ids. */
export interface WebHookDeliveriesTable {
  id: Id;
  hook_id: number;
  event_id: number;
  /** One for all hooks that are told of the event, and of what follows from it. */
  event_uuid: string;
  /** Whether the payloads of the event are there. */
  built: Defaulted<Bit>;
  /** Payloads of the event up to this position are done. */
  sent: Defaulted<number>;
  created_at: Timestamp;
}
export type WebHookDelivery = Selectable<WebHookDeliveriesTable>;
