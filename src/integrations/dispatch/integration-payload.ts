/** Fields of webhook payloads that integrations use; absent for kinds of payloads without them. */
export interface Payload {
  object_kind: string;
  user?: PayloadUser | null;
  user_name?: string | null;
  user_username?: string | null;
  user_avatar?: string | null;
  user_email?: string | null;
  project?: PayloadProject;
  project_id?: number;
  /** Full ref name, in push payloads. */
  ref?: string;
  before?: string;
  after?: string;
  checkout_sha?: string | null;
  commits?: readonly PayloadCommit[];
  total_commits_count?: number;
  object_attributes?: PayloadAttributes;
  labels?: readonly PayloadLabel[];
  issue?: PayloadAttributes;
  merge_request?: PayloadAttributes | null;
  commit?: PayloadCommit | null;
  snippet?: PayloadAttributes;
  builds?: readonly PayloadBuild[];
  /** In deployment payloads. */
  status?: string;
  environment?: string;
  deployable_id?: number | null;
  deployable_url?: string | null;
  short_sha?: string;
  commit_url?: string;
  commit_title?: string | null;
}

export interface PayloadUser {
  id: number;
  name: string;
  username: string;
  avatar_url: string | null;
}

export interface PayloadProject {
  id: number;
  name: string;
  web_url: string;
  path_with_namespace: string;
  default_branch: string | null;
  avatar_url: string | null;
}

export interface PayloadCommit {
  id: string;
  title: string;
  message: string;
  url: string;
  timestamp: string;
  author: { name: string; email: string };
  added?: readonly string[];
  modified?: readonly string[];
  removed?: readonly string[];
}

export interface PayloadLabel {
  title: string;
}

export interface PayloadAttributes {
  id: number;
  iid?: number;
  title?: string;
  description?: string | null;
  url?: string;
  action?: string;
  state?: string;
  type?: string | null;
  labels?: readonly PayloadLabel[];
  note?: string;
  noteable_type?: string;
  system?: boolean;
  source_branch?: string;
  target_branch?: string;
  merge_status?: string;
  /** In wiki page payloads. */
  content?: string;
  diff_url?: string;
  message?: string | null;
  /** In pipeline payloads. */
  ref?: string | null;
  tag?: boolean;
  sha?: string;
  status?: string;
  detailed_status?: string;
  duration?: number | null;
  name?: string | null;
}

export interface PayloadBuild {
  stage: string;
  name: string;
  status: string;
  allow_failure: boolean;
}

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';
const NOTHING = /^0+$/;

export const isTag = ({ ref = '' }: Payload): boolean => ref.startsWith(TAGS);
/** Name of the branch or tag of a push. */
export const refName = ({ ref = '' }: Payload): string =>
  ref.startsWith(HEADS) ? ref.slice(HEADS.length) : ref.startsWith(TAGS) ? ref.slice(TAGS.length) : ref;
export const isNewRef = ({ before = '' }: Payload): boolean => NOTHING.test(before);
export const isRemovedRef = ({ after = '' }: Payload): boolean => NOTHING.test(after);

/** Name of the actor, as `Ann (ann)`; `Somebody` if unknown. */
export function actorName({ user, user_name, user_username }: Payload): string {
  const name = user?.name ?? user_name;
  const username = user?.username ?? user_username;
  return name == null ? 'Somebody' : username == null ? name : `${name} (${username})`;
}

/** Whether a push has new commits or a new tag. */
export const hasNewCommits = (payload: Payload): boolean =>
  !isRemovedRef(payload) && (payload.total_commits_count ?? 0) > 0;
