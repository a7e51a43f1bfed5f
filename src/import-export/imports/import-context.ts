import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import type { ImportedObject } from './coerce-import.ts';
import type { ImportedUsers } from './imported-users.ts';

/** What objects are written with. */
export interface ImportContext {
  deps: Deps;
  place: {
    kind: 'group' | 'project';
    id: number;
    /** The groups whose labels and milestones can be used, the place itself included where it is one. */
    groupIds: readonly number[];
  };
  users: ImportedUsers;
  /** Whether the objects of a commit are in the repository. */
  hasCommit(sha: string): Promise<boolean>;
  /**
   * Makes the repository of the wiki, or of a snippet by the id that it had, in a folder that is not there yet.
   * @returns false where there is none
   * @throws GitError, RemoteError
   */
  makeRepository(of: { type: 'wiki' } | { type: 'snippet'; id: number }, dir: string): Promise<boolean>;
}

/** How the objects of a relation become rows. */
export type RelationWriter =
  | {
      /** Objects that one transaction writes. */
      atOnce: number;
      /** @throws InvalidImportObject for an object that cannot be taken over */
      write(context: ImportContext, db: Db, objects: readonly ImportedObject[]): Promise<void>;
    }
  | {
      /**
       * Writes one that has more than rows, in a transaction that it begins itself.
       * @param transactionHook has to run in that
       * @throws InvalidImportObject for one that cannot be taken over
       */
      writeAlone(
        context: ImportContext,
        object: ImportedObject,
        transactionHook: (db: Db) => Promise<void>,
      ): Promise<void>;
    };
