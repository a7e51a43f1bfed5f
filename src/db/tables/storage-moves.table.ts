import type { Selectable } from 'kysely';
import type { Id, Json, Timestamp } from '../columns.ts';

/** What is moved: the repositories of a project, that of a snippet, that of a group's wiki. */
export type StorageMoveKind = 'project' | 'snippet' | 'group';

/** As the API shows it. */
export type StorageMoveState = 'scheduled' | 'started' | 'replicated' | 'finished' | 'failed' | 'cleanup failed';

/** Where a repository lies: the storage's name and the path in it. */
interface Place {
  storage: string;
  diskPath: string;
}

/** A repository that a move takes along, and whose it is. */
export interface MovedRepository {
  type: 'project' | 'snippet' | 'wiki';
  id: number;
  from: Place;
  /** Where it is copied to; drawn anew at each attempt. */
  to: Place | null;
}

/** Moves of repositories to other storages; they go with what they move. */
export interface StorageMovesTable {
  id: Id;
  kind: StorageMoveKind;
  /** One of the three is set, by the kind. */
  project_id: number | null;
  snippet_id: number | null;
  group_id: number | null;
  source_storage_name: string;
  destination_storage_name: string;
  state: StorageMoveState;
  error_message: string | null;
  places: Json<MovedRepository[]>;
  /** Of the attempt that copies: another one ends it. */
  claim: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type StorageMove = Selectable<StorageMovesTable>;
