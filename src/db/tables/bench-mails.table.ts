import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Mails of a server with a test bench, sent or not. */
export interface BenchMailsTable {
  id: Id;
  created_at: Timestamp;
  message_id: string;
  recipient: string;
  /** Name and address. */
  sender: string;
  subject: string;
  /** Its text. */
  body: string;
  html: string | null;
}
export type BenchMail = Selectable<BenchMailsTable>;
