import { AccessLevel } from '../core/access-levels.ts';
import type { ProjectFeature } from '../db/tables/projects.table.ts';

/** How somebody can stand to what an ability is used on: that may give it to them, whatever their role. */
export type Relation = 'author' | 'assignee' | 'self' | 'bearer' | 'collaborator';

/** What a relation takes beside itself. */
export interface RelationRule<Ability extends string = string> {
  /** Member level from which on it counts; anyone's when absent. */
  level?: number;
  /** Another ability that it takes. */
  needs?: Ability;
}

/**
 * Who has an ability in a project or a group. First its conditions (feature, needs, a project that stands still, a locked
 * discussion), which hold for everybody; then what grants it: a role, being able to see the place, a relation.
 */
export interface Rule<Ability extends string = string> {
  /** Member level whose role grants it, with all higher ones; `NO_ROLE` where roles do not. */
  level: number;
  /** A lower level whose role has it, too, and none between does. */
  alsoAt?: number;
  /** Also granted to people without membership who can see a public place, or (signed in) an internal one. */
  open?: boolean;
  /** As `open`, but never to anonymous callers. */
  openToUsers?: boolean;
  /** Also granted to those who stand so to the object. */
  relations?: Partial<Record<Relation, RelationRule<Ability>>>;
  /** Also granted to deploy tokens of the place that have this scope, where a role would be needed. */
  deployScope?: string;
  /** Part of the project that must not be closed to the caller; of several, one that is open does. */
  feature?: ProjectFeature | readonly ProjectFeature[];
  /** Member level from which on people have it while the project keeps its jobs from the public (`public_jobs`). */
  withPrivateJobs?: number;
  /** Another ability that it takes. */
  needs?: Ability;
  /** It changes something. Then it is lost while the place is archived or waits for its deletion. */
  writes?: true;
  /** Of what writes: kept even then. */
  whenFrozen?: 'kept';
  /** Whose it is left to while the discussion is locked. */
  whenLocked?: 'members';
  /** What decides beside this table, about the object alone (a protected branch, rules of approval): for the document. */
  further?: string;
}

/** Above every role. */
export const NO_ROLE = Number.POSITIVE_INFINITY;

/** What is known of the object that an ability is used on. */
export interface Circumstances {
  /** As what the caller uses it, when not by their role alone. */
  as?: Relation;
  /** Whether the discussion is locked. */
  locked?: boolean;
  /** Whether nobody changes the object: it was written by the system. */
  sealed?: boolean;
}

export const { guest, planner, reporter, developer, maintainer, owner, admin } = AccessLevel;
