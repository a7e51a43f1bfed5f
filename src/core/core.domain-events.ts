import type { ChangedVia } from './change-cause.ts';
import type {
  AwardFacts,
  CommitStatusFacts,
  FeatureFlagFacts,
  GroupFacts,
  IssueFacts,
  MergeRequestFacts,
  MilestoneFacts,
  NoteFacts,
  ProjectFacts,
  ReleaseFacts,
  SnippetFacts,
  UserFacts,
} from './event-fact-types.ts';
import type {
  CloseReason,
  ExpiringPayload,
  Given,
  MemberPayload,
  NotePayload,
  PushedRef,
  RequestPayload,
  WikiPagePayload,
} from './event-payloads.ts';

/** Says at compile time what events of a kind carry. */
const payload = <T>(): { readonly payload?: T } => ({});

/**
 * Every kind of event, and what is recorded of it. A service records it in the transaction of the change, with all that is
 * to be told of it that may be gone or different later. The facts (`issue`, `project`) are missing in events of earlier
 * versions.
 */
const eventKinds = {
  'project.created': payload<{ project?: ProjectFacts; project_id: number }>(),
  'project.destroyed': payload<{ project?: ProjectFacts; project_id: number; full_path: string }>(),
  'project.renamed': payload<{ project?: ProjectFacts; project_id: number; old_full_path: string }>(),
  'project.transferred': payload<{ project?: ProjectFacts; project_id: number; old_full_path: string }>(),
  /** `renamed`: its path has changed with it, which `project.renamed` tells. */
  'project.updated': payload<{ project?: ProjectFacts; project_id: number; renamed?: boolean }>(),
  'project.forked': payload<{ project_id: number; fork_id: number }>(),
  'group.created': payload<{ group?: GroupFacts; group_id: number }>(),
  'group.destroyed': payload<{ group?: GroupFacts; group_id: number; full_path: string }>(),
  'group.renamed': payload<{ group?: GroupFacts; group_id: number; old_full_path: string }>(),
  'group.transferred': payload<{ group?: GroupFacts; group_id: number; old_full_path: string }>(),
  'group.updated': payload<{ group?: GroupFacts; group_id: number }>(),
  'user.created': payload<{ user?: UserFacts; user_id: number }>(),
  'user.destroyed': payload<{ user?: UserFacts; user_id: number; username: string; email: string; name: string }>(),
  'user.renamed': payload<{ user?: UserFacts; user_id: number; old_username: string }>(),
  /** A blocked user knew the password, and was not let in. */
  'user.login_refused': payload<{ user: UserFacts; user_id: number }>(),
  'member.added': payload<MemberPayload>(),
  'member.updated': payload<MemberPayload>(),
  /** `unassign_issuables`: whether the user's issues and merge requests there shall be unassigned. */
  'member.removed': payload<MemberPayload & { unassign_issuables?: boolean }>(),
  'access_request.created': payload<RequestPayload>(),
  /** Denied, or withdrawn by the user themselves. */
  'access_request.removed': payload<RequestPayload>(),
  /** An address without a user was invited. */
  'invitation.created': payload<{ invitation_id: number; source_type: 'project' | 'group'; source_id: number }>(),
  /** A token of a project or group ends in `days`. */
  'access_token.expiring': payload<ExpiringPayload>(),
  'deploy_token.expiring': payload<ExpiringPayload>(),
  'key.created': payload<{ key_id: number; user_id: number; key: string }>(),
  'key.destroyed': payload<{ key_id: number; user_id: number; key: string }>(),
  push: payload<{
    project_id: number;
    updates: PushedRef[];
    push_options: string[];
    via: ChangedVia;
    /** Where it makes branches: the default branch after it, which tells what is new in them. */
    default_branch?: { name: string; sha: string | null } | null;
  }>(),
  'note.created': payload<NotePayload>(),
  /** `resolved`: its thread was resolved or opened again, and its text is as it was. */
  'note.updated': payload<NotePayload & { resolved?: boolean }>(),
  'note.destroyed': payload<{
    note?: NoteFacts;
    note_id: number;
    project_id: number | null;
    noteable_type: string;
    noteable_id: number | null;
  }>(),
  'snippet.pushed': payload<{
    snippet_id: number;
    updates: { ref: string; old: string | null; new: string | null }[];
    via: ChangedVia;
  }>(),
  'wiki.pushed': payload<{
    wiki_id: number;
    /** Either of the two: whose wiki it is. */
    project_id: number | null;
    group_id: number | null;
    updates: { ref: string; old: string | null; new: string | null }[];
    via: ChangedVia;
  }>(),
  'wiki_page.created': payload<WikiPagePayload>(),
  'wiki_page.updated': payload<WikiPagePayload>(),
  'wiki_page.destroyed': payload<WikiPagePayload>(),
  'snippet.created': payload<{ snippet?: SnippetFacts; snippet_id: number; project_id: number | null }>(),
  'snippet.updated': payload<{ snippet?: SnippetFacts; snippet_id: number; project_id: number | null }>(),
  'snippet.destroyed': payload<{
    snippet?: SnippetFacts;
    snippet_id: number;
    project_id: number | null;
    title: string;
  }>(),
  'issue.created': payload<{ issue?: IssueFacts; issue_id: number; project_id: number } & Given>(),
  /** `changes`: old and new value of what was changed, by attribute; labels are `LabelFacts`. */
  'issue.updated': payload<{
    issue?: IssueFacts;
    issue_id: number;
    project_id: number;
    changes: Record<string, [unknown, unknown]>;
  }>(),
  'issue.closed': payload<{ issue?: IssueFacts; issue_id: number; project_id: number; how?: CloseReason }>(),
  'issue.reopened': payload<{ issue?: IssueFacts; issue_id: number; project_id: number }>(),
  'issue.destroyed': payload<{
    issue?: IssueFacts;
    issue_id: number;
    project_id: number;
    iid: number;
    title: string;
  }>(),
  'milestone.created': payload<{
    milestone?: MilestoneFacts;
    milestone_id: number;
    project_id: number | null;
    group_id: number | null;
  }>(),
  'milestone.updated': payload<{
    milestone?: MilestoneFacts;
    milestone_id: number;
    project_id: number | null;
    group_id: number | null;
  }>(),
  'milestone.closed': payload<{
    milestone?: MilestoneFacts;
    milestone_id: number;
    project_id: number | null;
    group_id: number | null;
  }>(),
  'milestone.reopened': payload<{
    milestone?: MilestoneFacts;
    milestone_id: number;
    project_id: number | null;
    group_id: number | null;
  }>(),
  'milestone.destroyed': payload<{
    milestone?: MilestoneFacts;
    milestone_id: number;
    project_id: number | null;
    group_id: number | null;
    title: string;
  }>(),
  'merge_request.created': payload<
    { merge_request?: MergeRequestFacts; merge_request_id: number; project_id: number; reviewer_ids?: number[] } & Given
  >(),
  /** `old_sha` and `new_sha` when new commits came, `via` how: as of the push. */
  'merge_request.updated': payload<{
    merge_request?: MergeRequestFacts;
    merge_request_id: number;
    project_id: number;
    changes: Record<string, [unknown, unknown]>;
    old_sha?: string | null;
    new_sha?: string | null;
    via?: ChangedVia;
  }>(),
  'merge_request.closed': payload<{
    merge_request?: MergeRequestFacts;
    merge_request_id: number;
    project_id: number;
  }>(),
  'merge_request.reopened': payload<{
    merge_request?: MergeRequestFacts;
    merge_request_id: number;
    project_id: number;
  }>(),
  'merge_request.merged': payload<{
    merge_request?: MergeRequestFacts;
    merge_request_id: number;
    project_id: number;
  }>(),
  'merge_request.destroyed': payload<{
    merge_request?: MergeRequestFacts;
    merge_request_id: number;
    project_id: number;
    iid: number;
    title: string;
  }>(),
  /** One person's approval; `complete` when it was the last that was needed. */
  'merge_request.approved': payload<{
    merge_request?: MergeRequestFacts;
    merge_request_id: number;
    project_id: number;
    user_id: number;
    complete: boolean;
  }>(),
  /** `complete` when the merge request had all that it needs until then; `system_action` where the server took it back. */
  'merge_request.unapproved': payload<{
    merge_request?: MergeRequestFacts;
    merge_request_id: number;
    project_id: number;
    user_id: number;
    complete?: boolean;
    system_action?: 'approvals_reset_on_push' | 'code_owner_approvals_reset_on_push';
  }>(),
  /** Somebody wants it merged as soon as everything allows it. */
  'merge_request.auto_merge_set': payload<{ merge_request_id: number; project_id: number }>(),
  /** Git cannot merge it any more. */
  'merge_request.unmergeable': payload<{ merge_request_id: number; project_id: number }>(),
  /** Comments were published together. */
  'merge_request.reviewed': payload<{ merge_request_id: number; project_id: number; note_ids: number[] }>(),
  /** What an external status check said of its head. */
  'merge_request.status_checked': payload<{
    merge_request_id: number;
    project_id: number;
    external_status_check_id: number;
    status: 'pending' | 'passed' | 'failed';
  }>(),
  'emoji.awarded': payload<{
    award?: AwardFacts;
    award_id: number;
    awardable_type: string;
    awardable_id: number;
    project_id: number | null;
  }>(),
  'emoji.revoked': payload<{
    award?: AwardFacts;
    award_id: number;
    name: string;
    user_id: number;
    awardable_type: string;
    awardable_id: number;
    project_id: number | null;
  }>(),
  /** A pipeline was made, or is in another state. */
  'pipeline.updated': payload<{
    pipeline_id: number;
    project_id: number;
    /** Why it was made; `external` for one of reported states alone, which leaves no files. */
    source: string;
    status: string;
    old_status: string | null;
  }>(),
  /** A job was made, or is in another state. */
  'job.updated': payload<{
    job_id: number;
    pipeline_id: number;
    project_id: number;
    status: string;
    old_status: string | null;
  }>(),
  /** The log of a job that is over was made a file. */
  'job.trace_archived': payload<{ job_id: number; pipeline_id: number; project_id: number }>(),
  /** A version of a package, or what belongs to all versions of it, was deleted by somebody: it goes with nothing above it. */
  'package.deleted': payload<{
    package_id: number;
    project_id: number;
    package_type: string;
    name: string;
    version: string | null;
  }>(),
  'deployment.updated': payload<{ deployment_id: number; project_id: number; status: string }>(),
  /** A push mirror could not be updated, and is not tried again by itself. */
  'remote_mirror.failed': payload<{ remote_mirror_id: number; project_id: number; error: string }>(),
  'release.created': payload<{ release: ReleaseFacts; release_id: number; project_id: number }>(),
  'release.updated': payload<{ release: ReleaseFacts; release_id: number; project_id: number }>(),
  /** By itself, or with its tag. */
  'release.destroyed': payload<{ release: ReleaseFacts; release_id: number; project_id: number }>(),
  /** A feature flag was switched on or off. */
  'feature_flag.switched': payload<{ feature_flag: FeatureFlagFacts; feature_flag_id: number; project_id: number }>(),
  'commit_status.updated': payload<{ commit_status?: CommitStatusFacts; status_id: number; project_id: number }>(),
};

export type DomainEventType = keyof typeof eventKinds;
/** What events carry, by their kind. */
export type DomainEvents = { [T in DomainEventType]: NonNullable<(typeof eventKinds)[T]['payload']> };

/** Whether this version knows a kind of stored event: a later one may have written it. */
export const isEventKind = (kind: string): kind is DomainEventType => Object.hasOwn(eventKinds, kind);
