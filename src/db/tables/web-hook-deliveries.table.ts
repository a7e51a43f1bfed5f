import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';

/** Pending deliveries of webhooks, one for each event, in the order of their ids. */
export interface WebHookDeliveriesTable {
  id: Id;
  hook_id: number;
  event_id: number;
  /** Shared by all webhooks of the event, and by what follows from it. */
  event_uuid: string;
  /** Whether the payloads of the event exist. */
  built: Defaulted<Bit>;
  /** Payloads up to this position have been delivered. */
  sent: Defaulted<number>;
  created_at: Timestamp;
}
export type WebHookDelivery = Selectable<WebHookDeliveriesTable>;
