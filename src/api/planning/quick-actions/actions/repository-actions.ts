import { refused } from '../../../../core/core.errors.ts';
import type { Issue } from '../../../../db/tables/issues.table.ts';
import type { Deps } from '../../../../deps.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { createBranch, createTag } from '../../../code/index.ts';
import type { UserScope } from '../../../object-access.ts';
import { createMergeRequest } from '../../merge-requests/requests/merge-requests.create.ts';
import { ISSUES, type QuickAction } from '../quick-actions.action.ts';

const MAX_BRANCH = 100;

/** Default branch name for an issue; without the title for confidential ones. */
function branchOf({ iid, title, confidential }: Issue): string {
  const words = confidential === 1 ? 'confidential-issue' : title.normalize('NFKD').toLowerCase();
  const tidy = words.replaceAll(/[^a-z0-9]+/g, '-').slice(0, MAX_BRANCH);
  return `${iid}-${tidy.replace(/^-/, '')}`.replace(/-$/, '');
}

/** Creates a branch for an issue, and a draft merge request that closes it. @throws ApiError */
async function resolveIn(deps: Deps, scope: UserScope, issue: Issue, name: string): Promise<void> {
  const target = await repositoryOf(deps, scope.project).refs.head();
  if (target === null) throw refused('The project has no branch to merge into. Push one first.');
  const target_branch = target.replace(/^refs\/heads\//, '');
  await createBranch(deps, scope.project, scope, name, target_branch);
  await createMergeRequest(deps, scope, {
    source_branch: name,
    target_branch,
    title: `Draft: Resolve ${issue.confidential === 1 ? `#${issue.iid}` : `"${[...issue.title].slice(0, 235).join('')}"`}`,
    description: `Closes #${issue.iid}`,
    assignee_ids: [scope.caller.user.id],
  });
}

/** Quick actions that write to the repository. */
export const repositoryActions: readonly QuickAction[] = [
  {
    name: 'create_merge_request',
    on: ISSUES,
    once: true,
    atCreation: true,
    may: ({ scope: { permissions } }) =>
      permissions.can('push_code') &&
      permissions.can('create_merge_request_from') &&
      permissions.can('create_merge_request_in'),
    evaluate: (c, argument) => ({
      changes: { create_merge_request: { branch_name: argument || null, issue_iid: c.issue?.iid ?? null } },
      afterCommit: async ({ deps, scope, issue }) => {
        await resolveIn(deps, scope, issue!, argument || branchOf(issue!));
        const made = argument === '' ? 'a branch' : `branch '${argument}'`;
        return `Created ${made} and a merge request to resolve this issue.`;
      },
    }),
  },
  {
    name: 'tag',
    on: ['Commit'],
    once: true,
    requiresArgument: true,
    may: ({ scope }) => scope.permissions.can('push_code'),
    evaluate: (c, argument) => {
      const [, name = '', message = ''] = /^(\S+)(?:\s+(.*))?$/.exec(argument) ?? [];
      const shown = message === '' ? '' : ` with "${message}"`;
      return {
        message: `Tagged this commit to ${name}${shown}.`,
        changes: { tag_name: name, tag_message: message === '' ? null : message },
        afterCommit: async ({ deps, scope }) => {
          await createTag(deps, scope.project, scope, { name, target: c.sha!, message });
          return undefined;
        },
      };
    },
  },
];
