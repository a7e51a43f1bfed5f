import type { Db } from '../../db/schema.ts';
import type { Deps } from '../../deps.ts';
import type { People } from './people.ts';
import type { Given } from './take.ts';

/** What objects are written with. */
export interface Importing {
  deps: Deps;
  place: {
    kind: 'group' | 'project';
    id: number;
    /** The groups whose labels and milestones can be used, the place itself included where it is one. */
    groupIds: readonly number[];
  };
  people: People;
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
export type Writer =
  | {
      /** Objects that one transaction writes. */
      atOnce: number;
      /** @throws Unfit for an object that cannot be taken over */
      write(importing: Importing, db: Db, objects: readonly Given[]): Promise<void>;
    }
  | {
      /**
       * Writes one that has more than rows, in a transaction that it begins itself.
       * @param within has to run in that
       * @throws Unfit for one that cannot be taken over
       */
      writeAlone(importing: Importing, object: Given, within: (db: Db) => Promise<void>): Promise<void>;
    };
