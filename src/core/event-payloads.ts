import type {
  GroupFacts,
  IssueFacts,
  LabelFacts,
  MemberFacts,
  MergeRequestFacts,
  MilestoneFacts,
  NoteFacts,
  ProjectFacts,
  ReleaseFacts,
  ResourceTokenFacts,
  SnippetFacts,
  UserFacts,
  WikiPageFacts,
} from './event-fact-types.ts';

/** Payload of wiki page events. */
export interface WikiPagePayload {
  wiki_page_id: number;
  /** The owner of the wiki: exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  page: WikiPageFacts;
}

/** Payload of membership events. */
export interface MemberPayload {
  member?: MemberFacts;
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  access_level: number;
}

/** Payload of access request events. */
export interface RequestPayload {
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  /** Time of the request. */
  requested_at?: string;
}

/** Payload of token expiry events. */
export interface ExpiringPayload {
  token: ResourceTokenFacts;
  token_id: number;
  source_type: 'project' | 'group';
  source_id: number;
  days: number;
}

/** Payload of comment events. */
export interface NotePayload {
  note?: NoteFacts;
  note_id: number;
  project_id: number | null;
  noteable_type: string;
  /** Whether it belongs to a confidential issue. */
  confidential?: boolean;
  /** Whether it was published as part of a review: `merge_request.reviewed` lists all of them. */
  in_review?: boolean;
}

/** What closed an issue, if it was not a user. */
export interface CloseReason {
  /** The issue that it was moved to. */
  moved_to_id?: number;
  merge_request_id?: number;
  commit_sha?: string;
  /** Project of the merge request or commit. */
  project_id?: number;
}

/** Initial attributes of a new issue or merge request. */
export interface EventInput {
  labels?: LabelFacts[];
  assignee_ids?: number[];
}

/** A pushed ref by its full name, with object ids before and after: null if it does not exist. */
export interface PushedRef {
  ref: string;
  old: string | null;
  new: string | null;
  /** The single new commit of a branch; absent if there are others, or it was not checked. */
  commit?: { message: string };
  /** False if the commit has no CI/CD configuration; absent if it was not checked. */
  configured?: false;
  /** True if the configuration is known to create no pipeline; absent if that needs a full evaluation. */
  filtered?: true;
}

/** Payload of milestone events. */
export interface MilestonePayload {
  milestone?: MilestoneFacts;
  milestone_id: number;
  project_id: number | null;
  group_id: number | null;
}

/** Payload of merge request events. */
export interface MergeRequestPayload {
  merge_request?: MergeRequestFacts;
  merge_request_id: number;
  project_id: number;
}

/** Payload of issue events. */
export interface IssuePayload {
  issue?: IssueFacts;
  issue_id: number;
  project_id: number;
}

/** Payload of snippet events. */
export interface SnippetPayload {
  snippet?: SnippetFacts;
  snippet_id: number;
  project_id: number | null;
}

/** Payload of release events. */
export interface ReleasePayload {
  release: ReleaseFacts;
  release_id: number;
  project_id: number;
}

/** Payload of project events. */
export interface ProjectPayload {
  project?: ProjectFacts;
  project_id: number;
}

/** Payload of group events. */
export interface GroupPayload {
  group?: GroupFacts;
  group_id: number;
}

/** Payload of user events. */
export interface UserPayload {
  user?: UserFacts;
  user_id: number;
}
