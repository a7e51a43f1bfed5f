import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Programs that run jobs. Those of projects are tied to them by `ci_runner_projects`. */
export interface CiRunnersTable {
  id: Id;
  runner_type: 'instance_type' | 'group_type' | 'project_type';
  group_id: number | null;
  creator_id: number | null;
  description: string | null;
  maintenance_note: string | null;
  /** Of its token. */
  digest: string;
  /** Eight characters by which it is told from others in logs. */
  short_token: string;
  token_expires_at: Timestamp | null;
  /** How it came: made by a user, or with a registration token. */
  registration: 'user' | 'registration_token';
  paused: Defaulted<Bit>;
  locked: Defaulted<Bit>;
  run_untagged: Defaulted<Bit>;
  access_level: 'not_protected' | 'ref_protected';
  /** Seconds. */
  maximum_timeout: number | null;
  /** Sorted. */
  tag_list: Json<string[]>;
  /** Whether it has asked for a job yet. */
  requested: Defaulted<Bit>;
  contacted_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type CiRunner = Selectable<CiRunnersTable>;

export const ciRunnersOwnership: Ownership<CiRunnersTable> = { plain: ['runner_type'] };
