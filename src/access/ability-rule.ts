import { AccessLevel } from '../core/access-levels.ts';
import type { ProjectFeature } from '../db/tables/projects.table.ts';

/** Relation of a caller to the object of an ability; it can grant the ability whatever their role. */
export type Relation = 'author' | 'assignee' | 'self' | 'bearer' | 'collaborator';

/** Conditions of a relation. */
export interface RelationRule<Ability extends string = string> {
  /** Minimum member level; none if absent. */
  level?: number;
  /** Another ability that the caller must have. */
  needs?: Ability;
}

/**
 * Who has an ability in a project or group. Conditions (feature, needs, frozen, locked discussion) apply to everybody;
 * a role, the visibility of the place or a relation grants the ability.
 */
export interface Rule<Ability extends string = string> {
  /** Minimum member level whose role grants it; `NO_ROLE` if no role does. */
  level: number;
  /** A single lower level whose role grants it as well. */
  alsoAt?: number;
  /** Also granted to non-members who can see a public place, or an internal one when signed in. */
  open?: boolean;
  /** As `open`, but never to anonymous callers. */
  openToUsers?: boolean;
  /** Also granted to callers with one of these relations to the object. */
  relations?: Partial<Record<Relation, RelationRule<Ability>>>;
  /** Also granted to deploy tokens of the place with this scope, in place of a role. */
  deployScope?: string;
  /** Part of the project that must be accessible to the caller; of several, one suffices. */
  feature?: ProjectFeature | readonly ProjectFeature[];
  /** Minimum member level while the jobs of the project are not public (`public_jobs`). */
  withPrivateJobs?: number;
  /** Another ability that the caller must have. */
  needs?: Ability;
  /** Changes something, so it is lost while the place is archived or pending deletion. */
  writes?: true;
  /** For writing abilities: kept while the place is archived or pending deletion. */
  whenFrozen?: 'kept';
  /** Who keeps it while the discussion is locked. */
  whenLocked?: 'members';
  /**
   * Further conditions outside this table that depend on the object (a protected branch, approval rules), for the
   * document.
   */
  further?: string;
}

/** Above every role. */
export const NO_ROLE = Number.POSITIVE_INFINITY;

/** Facts about the object of an ability. */
export interface Circumstances {
  /** The relation by which the caller uses it; absent if only their role counts. */
  as?: Relation;
  /** Whether the discussion is locked. */
  locked?: boolean;
  /** Whether the object was written by the system and cannot be changed. */
  sealed?: boolean;
}

export const { guest, planner, reporter, developer, maintainer, owner, admin } = AccessLevel;
