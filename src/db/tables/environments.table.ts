import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';

/** Environments of projects. */
export interface EnvironmentsTable {
  id: Id;
  project_id: number;
  name: string;
  slug: string;
  external_url: string | null;
  description: string | null;
  tier: 'production' | 'staging' | 'testing' | 'development' | 'other';
  state: 'available' | 'stopping' | 'stopped';
  auto_stop_at: Timestamp | null;
  auto_stop_setting: 'always' | 'with_action';
  cluster_agent_id: number | null;
  kubernetes_namespace: string | null;
  flux_resource_path: string | null;
  merge_request_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Environment = Selectable<EnvironmentsTable>;
