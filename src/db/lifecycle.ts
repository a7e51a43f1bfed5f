import type { SelectQueryBuilder } from 'kysely';
import { ExtensionPoint } from '../core/extension-point.ts';
import type { Db, Schema } from './db.schema.ts';
import type { User } from './tables/users.table.ts';

/** Options of a user removal. */
export interface UserRemoval {
  /** Whether to delete their contributions, and the groups of which they are the only owner. */
  hard: boolean;
  /** Id of the user who removes them. */
  actorId: number;
}

/** Ids of groups: a list, or a query for them. */
export type GroupIds = readonly number[] | SelectQueryBuilder<Schema, 'namespaces', { id: number }>;

/**
 * Hooks for areas that react to events of users, groups and projects. A given handle is that of the event's
 * transaction, in which the rows still exist.
 */
export class Lifecycle {
  /** An email address of a user was confirmed. */
  readonly addressConfirmed = new ExtensionPoint<[db: Db, userId: number, address: string]>();
  /** A user is about to be removed, outside any transaction: the last chance to refuse. */
  readonly userRemovalAsked = new ExtensionPoint<[user: User, removal: UserRemoval]>();
  readonly userRemoved = new ExtensionPoint<[db: Db, user: User, removal: UserRemoval]>();
  /** A user was blocked or banned: nothing runs on their behalf any more. */
  readonly userBlocked = new ExtensionPoint<[db: Db, userId: number]>();
  /** A project was separated from its fork network. */
  readonly forkUnlinked = new ExtensionPoint<[db: Db, projectId: number, actorId: number | null]>();
  readonly groupsRemoved = new ExtensionPoint<[db: Db, ids: GroupIds, actorId: number | null]>();
  readonly projectsRemoved = new ExtensionPoint<[db: Db, ids: readonly number[], actorId: number | null]>();
}
