import { timestamp } from '../../../../core/clock.ts';
import type { CodeOwnerEntry } from '../../../../core/core.code-owners.ts';
import { type Bit, bit } from '../../../../db/columns.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { emptyTreeLike } from '../../../../git/common/index.ts';
import { changedPaths } from '../../../../git/diff/index.ts';
import { mergeBase } from '../../../../git/history/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { entriesForPaths, readCodeOwners, resolveOwners } from './approvals.code-owners.ts';
import { eligibleApprovers, type NamedApprovers } from './eligible.ts';
import { mergeRequestRules, type StoredRule, setApprovers } from './rule-store.ts';

/** A rule that CODEOWNERS requires. */
interface RuleToSync extends NamedApprovers {
  name: string;
  section: string;
  optional: Bit;
  approvals_required: number;
}

/**
 * Updates the code owner rules of a merge request to match its changed files and the CODEOWNERS file of its target
 * branch. Its head must be in the target repository. Entries without eligible owners create no rule, as nobody could
 * satisfy it.
 * @throws GitError if the head is missing
 */
export async function syncRules(deps: Deps, mergeRequest: MergeRequest): Promise<void> {
  const { id, project_id, head_sha: head, target_branch } = mergeRequest;
  const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', project_id).executeTakeFirst();
  if (project === undefined || mergeRequest.state === 'merged') return;
  const repo = repositoryOf(deps, project);
  const entries = head === null ? [] : await entriesForHead(repo, target_branch, head);
  const rulesToSync = await rulesForEntries(deps, project_id, entries);
  await deps.db.transaction().execute(async (db) => {
    const now = await lockMergeRequest(db, id);
    // A concurrent change triggers its own synchronisation.
    if (now?.head_sha !== head || now.target_branch !== target_branch) return;
    await replaceRules(deps, db, now, rulesToSync);
  });
}

/** The entries that apply to the changes of a head since its merge base with the branch. */
async function entriesForHead(repo: Repository, branch: string, head: string): Promise<CodeOwnerEntry[]> {
  const entries = await readCodeOwners(repo, branch);
  const target = entries.length === 0 ? null : await repo.refs.resolve(`refs/heads/${branch}`);
  if (target === null) return [];
  const base = (await mergeBase(repo, [target, head])) ?? emptyTreeLike(head);
  return entriesForPaths(entries, await changedPaths(repo, base, head));
}

async function rulesForEntries(
  deps: Deps,
  projectId: number,
  entries: readonly CodeOwnerEntry[],
): Promise<RuleToSync[]> {
  const named = await resolveOwners(deps.db, entries);
  const eligible = await eligibleApprovers(deps, deps.db, projectId, named);
  const rulesToSync = new Map<string, RuleToSync>();
  for (const [index, { pattern, section }] of entries.entries()) {
    if (eligible[index]!.length === 0) continue;
    rulesToSync.set(`${section.name}\n${pattern}`, {
      ...named[index]!,
      name: pattern,
      section: section.name,
      optional: bit(section.optional),
      approvals_required: section.optional ? 0 : section.approvals,
    });
  }
  return [...rulesToSync.values()];
}

const keyOf = ({ name, section, optional, approvals_required, userIds, groupIds, roles }: RuleToSync | StoredRule) =>
  JSON.stringify([name, section, optional, approvals_required, userIds, groupIds, roles]);

/** Keeps rules that match, and replaces the others. */
async function replaceRules(
  deps: Deps,
  db: Db,
  mergeRequest: MergeRequest,
  rulesToSync: readonly RuleToSync[],
): Promise<void> {
  const rules = await mergeRequestRules(db, [mergeRequest.id]);
  const current = rules.filter(({ rule_type }) => rule_type === 'code_owner');
  const there = new Set(current.map(keyOf));
  const keys = new Set(rulesToSync.map(keyOf));
  const old = current.filter((rule) => !keys.has(keyOf(rule))).map(({ id }) => id);
  if (old.length > 0) await db.deleteFrom('approval_rules').where('id', 'in', old).execute();
  const now = timestamp(deps.clock);
  for (const { userIds, groupIds, roles, ...columns } of rulesToSync.filter((rule) => !there.has(keyOf(rule)))) {
    const { id } = await db
      .insertInto('approval_rules')
      .values({
        ...columns,
        project_id: mergeRequest.project_id,
        merge_request_id: mergeRequest.id,
        source_rule_id: null,
        rule_type: 'code_owner',
        report_type: null,
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await setApprovers(db, id, { userIds, groupIds, roles });
  }
}
