import type { Selectable } from 'kysely';
import type { DefaultedJson, Id, Timestamp } from '../columns.ts';

/** Machines that use the token of a runner. */
export interface CiRunnerManagersTable {
  id: Id;
  runner_id: number;
  system_id: string;
  version: string | null;
  revision: string | null;
  platform: string | null;
  architecture: string | null;
  executor: string | null;
  ip_address: string | null;
  features: DefaultedJson<Record<string, boolean>>;
  config: DefaultedJson<Record<string, unknown>>;
  labels: DefaultedJson<Record<string, string>>;
  contacted_at: Timestamp | null;
  created_at: Timestamp;
}
export type CiRunnerManager = Selectable<CiRunnerManagersTable>;
