import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangedVia } from '../../core/change-cause.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { RefChange } from '../../db/tables/ref-intents.table.ts';
import type { Deps } from '../../deps.ts';
import { isAncestor } from '../../git/history/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { type ChangeGuard, changeRefs, inRepositoryQueue } from '../../repositories/change-refs.ts';
import { guardChanges, refuseChange, rememberGit } from '../../repositories/check-changes.ts';
import { ofProject } from '../../repositories/holder.ts';
import { type Actor, memoizedAllows, type Protection } from '../../repositories/repository.protections.ts';
import { MirrorChanged } from '../mirroring.failure.ts';
import { branchOf, conflictingRefs, type Refs } from './pull-mirror.plan.ts';
import { type MirrorSettings, mirrorSettings } from './pull-mirror.settings.ts';

/** Context for changes of a mirror. */
export interface ChangeSet {
  deps: Deps;
  project: Project;
  settings: MirrorSettings;
  actor: Actor;
  protections: readonly Protection[];
}

/** Number of refs that move together, with one event. */
const BATCH_SIZE = 1_000;

/**
 * Creates and moves refs by the rules for a push of the mirror user.
 * @returns refusals as sentences
 */
export async function applyChanges(
  set: ChangeSet,
  repo: Repository,
  changes: readonly RefChange[],
  local: Refs,
  signal: AbortSignal,
): Promise<string[]> {
  if (changes.length === 0) return [];
  const check = await checkOf(set, repo);
  const allows = memoizedAllows(set.deps, set.actor);
  const collides = conflictingRefs(local);
  const problems: string[] = [];
  const allowed: RefChange[] = [];
  for (const change of changes) {
    signal.throwIfAborted();
    const name = change.ref.replace(/^refs\/(?:heads|tags)\//, '');
    if (change.old === null && collides(change.ref)) {
      problems.push(`'${name}' cannot be created: its name conflicts with another branch or tag.`);
      continue;
    }
    if (await hasDiverged(set, repo, change)) {
      if (name !== check.defaultBranch) continue;
      problems.push(
        `The default branch (${name}) has diverged from its upstream counterpart and could not be updated automatically.`,
      );
      continue;
    }
    const reason = await refuseChange(check.ask, change, allows);
    if (reason === null) allowed.push(change);
    else problems.push(`'${name}': ${reason}`);
    if (allowed.length % 100 === 0) await nextTurn();
  }
  // The first change of an empty repository determines its default branch.
  const first = `refs/heads/${check.defaultBranch}`;
  allowed.sort((a, b) => Number(b.ref === first) - Number(a.ref === first));
  for (let at = 0; at < allowed.length; at += BATCH_SIZE) {
    signal.throwIfAborted();
    const some = allowed.slice(at, at + BATCH_SIZE);
    await inRepositoryQueue(set.deps, set.project, (repo) => move(set, repo, check, some));
  }
  return problems;
}

/** Whether a branch has local commits that the other side lacks, which prevents its update. */
async function hasDiverged(
  { settings }: ChangeSet,
  repo: Repository,
  { ref, old, new: target }: RefChange,
): Promise<boolean> {
  if (branchOf(ref) === null || old === null || target === null) return false;
  return !settings.mirror_overwrites_diverged_branches && !(await isAncestor(repo, old, target));
}

async function checkOf({ deps, actor, protections }: ChangeSet, repo: Repository) {
  const { ask, known } = rememberGit({
    isAncestor: (ancestor: string, descendant: string) => isAncestor(repo, ancestor, descendant),
  });
  const defaultBranch = await repo.refs.head();
  const base = { actor, defaultBranch, via: 'git' as const };
  return { defaultBranch, ask: { ...base, ...ask, deps, protections }, known: { ...base, ...known } };
}

async function move(
  set: ChangeSet,
  repo: Repository,
  { known }: Awaited<ReturnType<typeof checkOf>>,
  updates: readonly RefChange[],
): Promise<void> {
  if (updates.length === 0) return;
  const { deps, project, settings } = set;
  const via: ChangedVia = settings.mirror_trigger_builds ? 'git' : 'mirror';
  await changeRefs(deps, repo, {
    holder: ofProject(project),
    userId: settings.mirror_user_id,
    updates,
    via,
    guard: stillUnchanged(set, guardChanges(known, project.id, updates)),
  });
}

/** Throws if the mirror was changed or disabled during its update, which is then repeated with the new settings. */
export function requireUnchanged(project: Project, now: Project | null): void {
  const same =
    now !== null &&
    now.import_url === project.import_url &&
    JSON.stringify(mirrorSettings(now)) === JSON.stringify(mirrorSettings(project));
  if (!same) throw new MirrorChanged();
}

const stillUnchanged =
  ({ project }: ChangeSet, guard: ChangeGuard): ChangeGuard =>
  async (deps, now) => {
    requireUnchanged(project, now);
    await guard(deps, now);
  };
