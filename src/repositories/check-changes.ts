import { refused } from '../core/core.errors.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Deps } from '../deps.ts';
import { isValidBranchName } from '../git/common/index.ts';
import { isServerRef } from '../git/refs/index.ts';
import type { ChangeGuard } from './change-refs.ts';
import { CheckPacer } from './push-rules/check-pacer.ts';
import { type PushRuleVerdict, refuseByVerdict } from './push-rules/check-push-rules.ts';
import {
  type Actor,
  type Allows,
  loadRefRules,
  memoizedAllows,
  type Protection,
  protectionsOf,
} from './repository.protections.ts';
import { revalidateActor } from './revalidate-actor.ts';

export interface ChangeCheck {
  deps: Deps;
  actor: Actor;
  protections: readonly Protection[];
  /** Branch of HEAD. */
  defaultBranch: string | null;
  /** Origin of the change. Through the API a Maintainer may delete a protected tag, but not with git. */
  via: 'git' | 'api';
  /** Whether `ancestor` is in the history of `descendant`, including quarantined objects. */
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Names of the branches that contain a commit; only called for changes through the API. */
  branchesWith?(oid: string): Promise<readonly string[]>;
}

/** Queries to git. */
type GitFacts = Pick<ChangeCheck, 'isAncestor' | 'branchesWith'>;

/** Caches git's answers for the check in the transaction, which must not call git. */
export function rememberGit<F extends GitFacts>(git: F): { ask: F; known: F } {
  const answers = new Map<string, unknown>();
  const ask: Record<string, unknown> = {};
  const known: Record<string, unknown> = {};
  for (const [name, find] of Object.entries(git) as [string, (...ids: string[]) => Promise<unknown>][]) {
    ask[name] = async (...ids: string[]) => {
      const answer = await find(...ids);
      answers.set(`${name} ${ids.join(' ')}`, answer);
      return answer;
    };
    known[name] = async (...ids: string[]) => {
      const answer = answers.get(`${name} ${ids.join(' ')}`);
      if (answer === undefined) throw refused('The branch was protected meanwhile. Please try again.');
      return answer;
    };
  }
  return { ask: ask as F, known: known as F };
}

/**
 * Checks changes of a project's refs again with the current rights and protections.
 * @param verdict of the push rules; null for changes that are exempt
 */
export const guardChanges =
  (
    check: Omit<ChangeCheck, 'deps' | 'protections'>,
    projectId: number,
    changes: readonly RefChange[],
    verdict: PushRuleVerdict | null = null,
  ): ChangeGuard =>
  async (deps, project) => {
    const actor = await revalidateActor(deps, check.actor, projectId, project);
    const { protections, pushRule } = await loadRefRules(deps, projectId);
    const reason = await refuseChanges({ ...check, deps, actor, protections }, changes);
    if (reason !== null) throw refused(reason);
    await refuseByVerdict(deps, verdict, pushRule);
  };

/** Refusal for refs that only the server writes. */
export const OWN_REF = 'This ref is reserved for the server. Push to a branch or a tag.';

const HEX = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:[/-]|$)/;

/** Returns the refusal of the first change that is not allowed, or null. Yields between changes. */
export async function refuseChanges(check: ChangeCheck, changes: Iterable<RefChange>): Promise<string | null> {
  const pace = new CheckPacer();
  const allows = memoizedAllows(check.deps, check.actor);
  for (const change of changes) {
    const reason = await refuseChange(check, change, allows);
    if (reason !== null) return reason;
    await pace.yield();
  }
  return null;
}

/**
 * Returns the refusal of a ref change, in the words that git shows to its user, or null if it is allowed. Decides by
 * full names, so that a tag can never pass for a branch.
 * @param allows cached decisions about the actor, for many changes
 */
export async function refuseChange(
  check: ChangeCheck,
  change: RefChange,
  allows: Allows = memoizedAllows(check.deps, check.actor),
): Promise<string | null> {
  const { permissions, deployKeyId } = check.actor;
  if (!permissions.can('push_code') && deployKeyId === undefined && !collaborates(check.actor, change)) {
    return 'You are not allowed to push code to this project.';
  }
  if (change.ref.startsWith('refs/heads/')) return refuseBranch(check, allows, change);
  if (change.ref.startsWith('refs/tags/')) return refuseTag(check, allows, change);
  return isServerRef(change.ref) ? OWN_REF : null;
}

/** Whether the actor may push to the branch through a merge request, which permits neither creation nor deletion. */
const collaborates = ({ collaborates }: Actor, { ref, old, new: oid }: RefChange): boolean =>
  old !== null &&
  oid !== null &&
  ref.startsWith('refs/heads/') &&
  collaborates?.has(ref.slice('refs/heads/'.length)) === true;

/** Returns the refusal of a branch name, or null. */
export function refuseBranchName(branch: string): string | null {
  if (HEX.test(branch)) return 'You cannot create a branch with a SHA-1 or SHA-256 branch name';
  return isValidBranchName(branch) ? null : 'You cannot create a branch with an invalid name.';
}

async function refuseBranch(check: ChangeCheck, allows: Allows, change: RefChange): Promise<string | null> {
  const { actor } = check;
  const branch = change.ref.slice('refs/heads/'.length);
  const matching = protectionsOf(check.protections, 'branch', branch);
  if (change.new === null) {
    if (branch === check.defaultBranch) return 'The default branch of a project cannot be deleted.';
    if (matching.length === 0) return null;
    if (actor.permissions.level < 40) {
      return 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.';
    }
    return 'You can only delete protected branches using the web interface.';
  }
  if (change.old === null) {
    const reason = refuseBranchName(branch);
    if (reason !== null) return reason;
  }
  if (matching.length === 0) return null;
  const allowed = await allows(matching, 'push');
  if (change.old === null) return allowed ? null : refuseCreation(check, allows, matching, change.new);
  const mayForce = matching.every(({ allow_force_push }) => allow_force_push === 1);
  if (!mayForce && !(await check.isAncestor(change.old, change.new))) {
    return 'You are not allowed to force push code to a protected branch on this project.';
  }
  return allowed ? null : 'You are not allowed to push code to protected branches on this project.';
}

/**
 * A user who may merge into a protected branch but not push to it may create it through the API from a commit that a
 * protected branch already contains: then no unreviewed commit gets in.
 */
async function refuseCreation(
  check: ChangeCheck,
  allows: Allows,
  matching: readonly Protection[],
  oid: string,
): Promise<string | null> {
  if (!(await allows(matching, 'merge'))) {
    return 'You are not allowed to create protected branches on this project.';
  }
  if (check.branchesWith === undefined) {
    return 'You can only create protected branches using the web interface and API.';
  }
  for (const name of await check.branchesWith(oid)) {
    if (protectionsOf(check.protections, 'branch', name).length > 0) return null;
  }
  return 'You can only use an existing protected branch ref as the basis of a new protected branch.';
}

async function refuseTag(check: ChangeCheck, allows: Allows, change: RefChange): Promise<string | null> {
  const tag = change.ref.slice('refs/tags/'.length);
  const matching = protectionsOf(check.protections, 'tag', tag);
  if (change.old === null && HEX.test(tag)) return 'You cannot create a tag with a SHA-1 or SHA-256 tag name';
  if (matching.length === 0) return null;
  if (change.new === null) {
    if (check.via === 'git') return 'You can only delete protected tags using the web interface.';
    return check.actor.permissions.level >= 40 ? null : 'Protected tags cannot be deleted.';
  }
  if (change.old !== null) return 'Protected tags cannot be updated.';
  const allowed = await allows(matching, 'create');
  return allowed ? null : 'You are not allowed to create this tag as it is protected.';
}
