import type { ChangedVia } from './change-cause.ts';
import type { AwardFacts, CommitStatusFacts, FeatureFlagFacts, NoteFacts, UserFacts } from './event-fact-types.ts';
import type {
  CloseReason,
  EventInput,
  ExpiringPayload,
  GroupPayload,
  IssuePayload,
  MemberPayload,
  MergeRequestPayload,
  MilestonePayload,
  NotePayload,
  ProjectPayload,
  PushedRef,
  ReleasePayload,
  RequestPayload,
  SnippetPayload,
  UserPayload,
  WikiPagePayload,
} from './event-payloads.ts';

/** Declares the payload type of an event kind. */
const payload = <T>(): { readonly payload?: T } => ({});

/**
 * All event kinds with their payloads. Events are recorded in the transaction of the change, with everything
 * subscribers need that may be gone or different later. The facts (`issue`, `project`) are missing in events of earlier
 * versions.
 */
const eventKinds = {
  'project.created': payload<ProjectPayload>(),
  'project.destroyed': payload<ProjectPayload & { full_path: string }>(),
  'project.renamed': payload<ProjectPayload & { old_full_path: string }>(),
  'project.transferred': payload<ProjectPayload & { old_full_path: string }>(),
  /** `renamed`: the path has changed as well, which `project.renamed` reports. */
  'project.updated': payload<ProjectPayload & { renamed?: boolean }>(),
  'project.forked': payload<{ project_id: number; fork_id: number }>(),
  'group.created': payload<GroupPayload>(),
  'group.destroyed': payload<GroupPayload & { full_path: string }>(),
  'group.renamed': payload<GroupPayload & { old_full_path: string }>(),
  'group.transferred': payload<GroupPayload & { old_full_path: string }>(),
  'group.updated': payload<GroupPayload>(),
  'user.created': payload<UserPayload>(),
  'user.destroyed': payload<UserPayload & { username: string; email: string; name: string }>(),
  'user.renamed': payload<UserPayload & { old_username: string }>(),
  /** A blocked user entered the correct password and was refused. */
  'user.login_refused': payload<{ user: UserFacts; user_id: number }>(),
  'member.added': payload<MemberPayload>(),
  'member.updated': payload<MemberPayload>(),
  /** `unassign_issuables`: whether to unassign the user from issues and merge requests there. */
  'member.removed': payload<MemberPayload & { unassign_issuables?: boolean }>(),
  'access_request.created': payload<RequestPayload>(),
  /** Denied, or withdrawn by the user. */
  'access_request.removed': payload<RequestPayload>(),
  /** An email address without a user was invited. */
  'invitation.created': payload<{ invitation_id: number; source_type: 'project' | 'group'; source_id: number }>(),
  /** A project or group token expires in `days`. */
  'access_token.expiring': payload<ExpiringPayload>(),
  'deploy_token.expiring': payload<ExpiringPayload>(),
  'key.created': payload<{ key_id: number; user_id: number; key: string }>(),
  'key.destroyed': payload<{ key_id: number; user_id: number; key: string }>(),
  push: payload<{
    project_id: number;
    updates: PushedRef[];
    push_options: string[];
    via: ChangedVia;
    /** For new branches: the default branch after the push, to tell which commits are new. */
    default_branch?: { name: string; sha: string | null } | null;
  }>(),
  'note.created': payload<NotePayload>(),
  /** `resolved`: the thread was resolved or reopened, and the text is unchanged. */
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
    /** The owner of the wiki: exactly one of the two is set. */
    project_id: number | null;
    group_id: number | null;
    updates: { ref: string; old: string | null; new: string | null }[];
    via: ChangedVia;
  }>(),
  'wiki_page.created': payload<WikiPagePayload>(),
  'wiki_page.updated': payload<WikiPagePayload>(),
  'wiki_page.destroyed': payload<WikiPagePayload>(),
  'snippet.created': payload<SnippetPayload>(),
  'snippet.updated': payload<SnippetPayload>(),
  'snippet.destroyed': payload<SnippetPayload & { title: string }>(),
  'issue.created': payload<IssuePayload & EventInput>(),
  /** `changes`: old and new values by attribute; labels are `LabelFacts`. */
  'issue.updated': payload<IssuePayload & { changes: Record<string, [unknown, unknown]> }>(),
  'issue.closed': payload<IssuePayload & { how?: CloseReason }>(),
  'issue.reopened': payload<IssuePayload>(),
  'issue.destroyed': payload<IssuePayload & { iid: number; title: string }>(),
  'milestone.created': payload<MilestonePayload>(),
  'milestone.updated': payload<MilestonePayload>(),
  'milestone.closed': payload<MilestonePayload>(),
  'milestone.reopened': payload<MilestonePayload>(),
  'milestone.destroyed': payload<MilestonePayload & { title: string }>(),
  'merge_request.created': payload<MergeRequestPayload & EventInput & { reviewer_ids?: number[] }>(),
  /** `old_sha` and `new_sha` for new commits; `via` as in the push. */
  'merge_request.updated': payload<
    MergeRequestPayload & {
      changes: Record<string, [unknown, unknown]>;
      old_sha?: string | null;
      new_sha?: string | null;
      via?: ChangedVia;
    }
  >(),
  'merge_request.closed': payload<MergeRequestPayload>(),
  'merge_request.reopened': payload<MergeRequestPayload>(),
  'merge_request.merged': payload<MergeRequestPayload>(),
  'merge_request.destroyed': payload<MergeRequestPayload & { iid: number; title: string }>(),
  /** An approval; `complete` if it was the last required one. */
  'merge_request.approved': payload<MergeRequestPayload & { user_id: number; complete: boolean }>(),
  /**
   * `complete` if the merge request had all required approvals before; `system_action` if the server removed the
   * approval.
   */
  'merge_request.unapproved': payload<
    MergeRequestPayload & {
      user_id: number;
      complete?: boolean;
      system_action?: 'approvals_reset_on_push' | 'code_owner_approvals_reset_on_push';
    }
  >(),
  /** Auto-merge was enabled. */
  'merge_request.auto_merge_set': payload<{ merge_request_id: number; project_id: number }>(),
  /** Git can no longer merge it without conflicts. */
  'merge_request.unmergeable': payload<{ merge_request_id: number; project_id: number }>(),
  /** Several comments were published together as a review. */
  'merge_request.reviewed': payload<{ merge_request_id: number; project_id: number; note_ids: number[] }>(),
  /** Response of an external status check for its head. */
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
  /** A pipeline was created, or changed its state. */
  'pipeline.updated': payload<{
    pipeline_id: number;
    project_id: number;
    /** Source of the pipeline; `external` for one with external statuses only, which leaves no files. */
    source: string;
    status: string;
    old_status: string | null;
  }>(),
  /** A job was created, or changed its state. */
  'job.updated': payload<{
    job_id: number;
    pipeline_id: number;
    project_id: number;
    status: string;
    old_status: string | null;
  }>(),
  /** The log of a finished job was archived. */
  'job.trace_archived': payload<{ job_id: number; pipeline_id: number; project_id: number }>(),
  /**
   * A package version, or everything shared by the versions of a package, was deleted individually rather than with its
   * project.
   */
  'package.deleted': payload<{
    package_id: number;
    project_id: number;
    package_type: string;
    name: string;
    version: string | null;
  }>(),
  'deployment.updated': payload<{ deployment_id: number; project_id: number; status: string }>(),
  /** An update of a push mirror failed and is not retried automatically. */
  'remote_mirror.failed': payload<{ remote_mirror_id: number; project_id: number; error: string }>(),
  'release.created': payload<ReleasePayload>(),
  'release.updated': payload<ReleasePayload>(),
  /** Deleted individually, or with its tag. */
  'release.destroyed': payload<ReleasePayload>(),
  /** A feature flag was enabled or disabled. */
  'feature_flag.switched': payload<{ feature_flag: FeatureFlagFacts; feature_flag_id: number; project_id: number }>(),
  'commit_status.updated': payload<{ commit_status?: CommitStatusFacts; status_id: number; project_id: number }>(),
};

export type DomainEventType = keyof typeof eventKinds;
/** Payloads of events by kind. */
export type DomainEvents = { [T in DomainEventType]: NonNullable<(typeof eventKinds)[T]['payload']> };

/** Whether this version knows the kind of a stored event, which a later version may have written. */
export const isEventKind = (kind: string): kind is DomainEventType => Object.hasOwn(eventKinds, kind);
