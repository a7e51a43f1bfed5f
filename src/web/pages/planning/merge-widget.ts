import type { PageContext } from '../../core/page.ts';
import { type Html, html, type Part, trusted } from '../../core/template.ts';
import { moment } from '../parts.ts';
import type { ProjectFacts } from '../project-frame.ts';
import { people, person } from './issuable-parts.ts';
import type { MergeRequestRow, Person } from './planning.rows.ts';
import { buttonForm } from './planning-forms.ts';

/** Settings of a project for merges; visitors do not get them. */
export interface MergeSettings extends ProjectFacts {
  squash_option?: 'never' | 'always' | 'default_on' | 'default_off';
  remove_source_branch_after_merge?: boolean;
}

/** The summary of approvals, as far as it is shown; further parts depend on the plan. */
export interface Approvals {
  approved: boolean;
  approvals_required?: number;
  approvals_left?: number;
  approved_by: { user: Person }[];
  user_has_approved: boolean;
  user_can_approve: boolean;
  require_password_to_approve?: boolean;
}

const REASONS: Readonly<Record<string, string>> = {
  mergeable: 'It can be merged.',
  approvals_syncing: 'The approvals are being counted.',
  checking: 'It is being checked whether the branches can be merged.',
  unchecked: 'It is being checked whether the branches can be merged.',
  preparing: 'It is being prepared.',
  ci_must_pass: 'The pipeline must succeed before it can be merged.',
  ci_still_running: 'The pipeline is still running.',
  commits_status: 'The source branch does not exist, or has no commits of its own.',
  conflict: 'There are conflicts: the branches change the same lines. Resolve them in the source branch.',
  discussions_not_resolved: 'All threads must be resolved before it can be merged.',
  draft_status: 'It is a draft. The comment “/ready” says that it is ready.',
  jira_association_missing: 'The title or the description must name a Jira issue.',
  locked_lfs_files: 'It changes files of Git LFS that others have locked.',
  locked_paths: 'It changes paths that others have locked.',
  merge_request_blocked: 'Another merge request must be merged before.',
  merge_time: 'It may not be merged before a certain time.',
  need_rebase: 'The source branch must be rebased onto the target branch.',
  not_approved: 'It must be approved before it can be merged.',
  not_open: 'It is not open.',
  requested_changes: 'A reviewer has requested changes.',
  security_policy_violations: 'It violates a security policy.',
  status_checks_must_pass: 'External status checks must pass before it can be merged.',
  title_regex: 'The title does not have the form that the project requires.',
};

/** Statuses that may pass without a new commit: a merge can wait for them. */
const MAY_PASS = [
  ...[
    'requested_changes',
    'approvals_syncing',
    'not_approved',
    'status_checks_must_pass',
    'merge_time',
    'draft_status',
  ],
  ...['discussions_not_resolved', 'title_regex', 'ci_still_running', 'ci_must_pass'],
];

const checkBox = (name: string, text: string, isChecked: boolean): Html =>
  html`<label><input type="checkbox" name="${name}" value="true"${isChecked ? trusted(' checked') : null}> ${text}</label>`;

function mergeForm(c: PageContext, path: string, row: MergeRequestRow, settings: MergeSettings): Part {
  const status = row.detailed_merge_status;
  const waits = MAY_PASS.includes(status);
  if (!row.user.can_merge || !(waits || status === 'mergeable')) return null;
  const { squash_option: squash, remove_source_branch_after_merge: removes } = settings;
  return html`<form class="wide" method="post" action="${c.at(`${path}/merge`)}">${c.formToken}
<input type="hidden" name="sha" value="${row.sha}"><input type="hidden" name="auto_merge" value="${String(waits)}">
${checkBox('should_remove_source_branch', 'Delete source branch', row.force_remove_source_branch === true || removes === true)}
${
  squash === 'never'
    ? null
    : squash === 'always'
      ? html`<p class="quiet">The commits become one.</p><input type="hidden" name="squash" value="true">`
      : checkBox('squash', 'Squash commits', row.squash_on_merge || row.squash)
}
<div><button class="main">${waits ? 'Merge when all checks pass' : 'Merge'}</button></div></form>`;
}

/** Whether it can be merged, why not, and the form for it. */
export function mergeWidget(c: PageContext, path: string, row: MergeRequestRow, settings: MergeSettings): Html {
  if (row.state === 'merged')
    return html`<p class="notice">Merged${row.merge_user === null ? null : html` by ${person(c, row.merge_user)}`}${
      row.merged_at === null ? null : html` ${moment(row.merged_at)}`
    }.</p>`;
  if (row.state !== 'opened')
    return html`<p class="notice">${row.state === 'locked' ? 'It is being merged.' : 'It is closed.'}</p>`;
  const { detailed_merge_status: status, merge_when_pipeline_succeeds: isAuto } = row;
  return html`<section class="notice" aria-label="Merge"><p>${REASONS[status] ?? status}</p>
${row.merge_error === null ? null : html`<p class="quiet">The last attempt failed: ${row.merge_error}</p>`}
${isAuto ? html`<p>It will be merged when all checks pass.</p>${c.user === null ? null : buttonForm(c, `${path}/cancel_auto_merge`, 'Cancel automatic merge')}` : mergeForm(c, path, row, settings)}
${status === 'need_rebase' && c.user !== null ? buttonForm(c, `${path}/rebase`, 'Rebase') : null}</section>`;
}

/** Who approved, how many are missing, and the forms for it. @param sha head that is approved */
export function approvalWidget(c: PageContext, path: string, sha: string | null, approvals: Approvals): Html {
  const { approved_by, approvals_left: left, user_has_approved: has, user_can_approve: can } = approvals;
  const missing =
    left === undefined || left === 0
      ? null
      : html` ${left} more ${left === 1 ? 'approval is' : 'approvals are'} required.`;
  const password = html`<label for="approval_password">Your password</label>
<input id="approval_password" name="approval_password" type="password" autocomplete="current-password" required>`;
  return html`<section class="notice" aria-label="Approvals"><p>${
    approved_by.length === 0
      ? 'Nobody has approved it yet.'
      : html`Approved by ${people(
          c,
          approved_by.map(({ user }) => user),
        )}.`
  }${missing}</p>${
    can && !has
      ? html`<form class="stack" method="post" action="${c.at(`${path}/approve`)}">${c.formToken}<input type="hidden" name="sha" value="${sha ?? ''}">
${approvals.require_password_to_approve ? html`<div>${password}</div>` : null}<div><button>Approve</button></div></form>`
      : null
  }${has ? buttonForm(c, `${path}/unapprove`, 'Revoke approval') : null}</section>`;
}
