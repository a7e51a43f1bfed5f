import type { Timestamp } from '../columns.ts';

/** Events for which integrations have sent mails, so that none is sent twice. */
export interface IntegrationMailsTable {
  /** Key of the event and the integration. */
  key: string;
  created_at: Timestamp;
}
