import type { Bit, Defaulted, Timestamp } from '../columns.ts';

export interface DeployKeyProjectsTable {
  deploy_key_id: number;
  project_id: number;
  can_push: Defaulted<Bit>;
  created_at: Timestamp;
}
