import type { Selectable } from 'kysely';
import type { Bit, Defaulted, Id, Json, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Runners. Project runners are linked to projects by `ci_runner_projects`. */
export interface CiRunnersTable {
  id: Id;
  runner_type: 'instance_type' | 'group_type' | 'project_type';
  group_id: number | null;
  creator_id: number | null;
  description: string | null;
  maintenance_note: string | null;
  /** Digest of its token. */
  digest: string;
  /** Eight characters of the token that identify the runner in logs. */
  short_token: string;
  token_expires_at: Timestamp | null;
  /** Whether it was created by a user or registered with a registration token. */
  registration: 'user' | 'registration_token';
  paused: Defaulted<Bit>;
  locked: Defaulted<Bit>;
  run_untagged: Defaulted<Bit>;
  access_level: 'not_protected' | 'ref_protected';
  /** Maximum job timeout in seconds. */
  maximum_timeout: number | null;
  /** Sorted. */
  tag_list: Json<string[]>;
  /** Whether it has requested a job yet. */
  requested: Defaulted<Bit>;
  contacted_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type CiRunner = Selectable<CiRunnersTable>;

export const ciRunnersOwnership: Ownership<CiRunnersTable> = { plain: ['runner_type'] };
