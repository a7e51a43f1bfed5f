import type { Selectable } from 'kysely';
import type { Id, Json, Timestamp } from '../columns.ts';

/** What is moved: the repositories of a project, that of a snippet, or that of a group's wiki. */
export type StorageMoveKind = 'project' | 'snippet' | 'group';

/** States in the API. */
export type StorageMoveState = 'scheduled' | 'started' | 'replicated' | 'finished' | 'failed' | 'cleanup failed';

/** Location of a repository: storage name and path. */
interface RepositoryLocation {
  storage: string;
  diskPath: string;
}

/** A repository included in a move, with its holder. */
export interface MovedRepository {
  type: 'project' | 'snippet' | 'wiki';
  id: number;
  from: RepositoryLocation;
  /** Destination; chosen again at each attempt. */
  to: RepositoryLocation | null;
}

/** Storage moves of repositories; removed with their holders. */
export interface StorageMovesTable {
  id: Id;
  kind: StorageMoveKind;
  /** Exactly one of the three is set, by the kind. */
  project_id: number | null;
  snippet_id: number | null;
  group_id: number | null;
  source_storage_name: string;
  destination_storage_name: string;
  state: StorageMoveState;
  error_message: string | null;
  places: Json<MovedRepository[]>;
  /** Claim of the attempt that copies; another attempt ends it. */
  claim: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type StorageMove = Selectable<StorageMovesTable>;
