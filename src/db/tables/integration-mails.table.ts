import type { Timestamp } from '../columns.ts';

/** Of which events integrations have had their mails sent, so that none is sent twice. */
export interface IntegrationMailsTable {
  /** Of the event, as one integration is told of it. */
  key: string;
  created_at: Timestamp;
}
