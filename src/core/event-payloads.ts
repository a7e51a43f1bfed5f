import type { LabelFacts, MemberFacts, NoteFacts, ResourceTokenFacts, WikiPageFacts } from './event-fact-types.ts';

/** What events about pages of wikis carry. */
export interface WikiPagePayload {
  wiki_page_id: number;
  /** Either of the two: whose wiki it is. */
  project_id: number | null;
  group_id: number | null;
  page: WikiPageFacts;
}

/** What events about memberships carry. */
export interface MemberPayload {
  member?: MemberFacts;
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  access_level: number;
}

/** What events about requests for a membership carry. */
export interface RequestPayload {
  source_type: 'project' | 'group';
  source_id: number;
  user_id: number;
  /** When it was asked. */
  requested_at?: string;
}

/** What events about tokens that are about to end carry. */
export interface ExpiringPayload {
  token: ResourceTokenFacts;
  token_id: number;
  source_type: 'project' | 'group';
  source_id: number;
  days: number;
}

/** What events about comments carry. */
export interface NotePayload {
  note?: NoteFacts;
  note_id: number;
  project_id: number | null;
  noteable_type: string;
  /** Whether it stands on a confidential issue. */
  confidential?: boolean;
  /** Whether it was written with others, as a review: `merge_request.reviewed` names them all. */
  in_review?: boolean;
}

/** What closed an issue, where no person did so. */
export interface CloseReason {
  /** It was moved: this is the issue that goes on. */
  moved_to_id?: number;
  merge_request_id?: number;
  commit_sha?: string;
  /** Project of the merge request or commit. */
  project_id?: number;
}

/** What a new issue or merge request was given. */
export interface Given {
  labels?: LabelFacts[];
  assignee_ids?: number[];
}

/** A ref that was pushed, by its full name, with object ids before and after: null where it does not exist. */
export interface PushedRef {
  ref: string;
  old: string | null;
  new: string | null;
  /** The one commit that a branch was moved on by; absent where there are others, or nobody looked. */
  commit?: { message: string };
  /** False where nothing is there that says which pipelines are made of it; absent where nobody looked. */
  configured?: false;
  /** Whether what is there is known to make none of it; absent where that takes a closer look. */
  filtered?: true;
}
