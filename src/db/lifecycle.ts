import type { SelectQueryBuilder } from 'kysely';
import { ExtensionPoint } from '../core/extension-point.ts';
import type { Db, Schema } from './db.schema.ts';
import type { User } from './tables/users.table.ts';

/** How a user is removed. */
export interface UserRemoval {
  /** Whether what they wrote goes with them, and the groups that they alone own. */
  hard: boolean;
  /** Id of the user who removes them. */
  actorId: number;
}

/** Ids of groups: a list, or a query for them. */
export type GroupIds = readonly number[] | SelectQueryBuilder<Schema, 'namespaces', { id: number }>;

/**
 * What happens to users, groups and projects and concerns areas that those know nothing of. Where a handle is given it is
 * that of the transaction in which it happens, and the rows are still there.
 */
export class Lifecycle {
  /** An address of a user has been confirmed. */
  readonly addressConfirmed = new ExtensionPoint<[db: Db, userId: number, address: string]>();
  /** A user is to be removed, outside of any transaction: the last moment to refuse. */
  readonly userRemovalAsked = new ExtensionPoint<[user: User, removal: UserRemoval]>();
  readonly userRemoved = new ExtensionPoint<[db: Db, user: User, removal: UserRemoval]>();
  /** A user was blocked or banned: they do nothing any more, and nothing is done in their name. */
  readonly userBlocked = new ExtensionPoint<[db: Db, userId: number]>();
  /** A project is no fork of any other any more, and no other one of it. */
  readonly forkUnlinked = new ExtensionPoint<[db: Db, projectId: number, actorId: number | null]>();
  readonly groupsRemoved = new ExtensionPoint<[db: Db, ids: GroupIds, actorId: number | null]>();
  readonly projectsRemoved = new ExtensionPoint<[db: Db, ids: readonly number[], actorId: number | null]>();
}
