import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import type { ImportedObject } from './coerce-import.ts';
import type { ImportedUsers } from './imported-users.ts';

/** Context for writing objects. */
export interface ImportContext {
  deps: Deps;
  place: {
    kind: 'group' | 'project';
    id: number;
    /**
     * Ids of the groups whose labels and milestones are available, including the destination itself if it is a group.
     */
    groupIds: readonly number[];
  };
  users: ImportedUsers;
  /** Whether the repository has the commit. */
  hasCommit(sha: string): Promise<boolean>;
  /**
   * Creates the repository of the wiki, or of a snippet by its original id, in a new folder.
   * @returns false if the source has none
   * @throws GitError, RemoteError
   */
  makeRepository(of: { type: 'wiki' } | { type: 'snippet'; id: number }, dir: string): Promise<boolean>;
}

/** Writer of the objects of a relation. */
export type RelationWriter =
  | {
      /** Number of objects per transaction. */
      batchSize: number;
      /** @throws InvalidImportObject if an object cannot be imported */
      write(context: ImportContext, db: Db, objects: readonly ImportedObject[]): Promise<void>;
    }
  | {
      /**
       * Writes an object with more than rows, in its own transaction.
       * @param transactionHook must run in that transaction
       * @throws InvalidImportObject if it cannot be imported
       */
      writeAlone(
        context: ImportContext,
        object: ImportedObject,
        transactionHook: (db: Db) => Promise<void>,
      ): Promise<void>;
    };
