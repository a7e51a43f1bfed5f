import { closedIssuesAmong } from '../../core/core.references.ts';
import { parseJson } from '../../db/columns.ts';
import { base, basic, type DispatchContext, type Handler, postJson } from '../dispatch/dispatch-context.ts';
import { actorName, type PayloadCommit, refName } from '../dispatch/integration-payload.ts';
import { jiraKeysIn } from './patterns.ts';

const keysIn = (words: string, { text }: DispatchContext): string[] => [
  ...new Set(jiraKeysIn(words, text).map(({ key }) => key)),
];

const closedBy = (words: string, { text }: DispatchContext): string[] =>
  closedIssuesAmong(words, jiraKeysIn(words, text)).map(({ key }) => key);

/** The source of a mention. */
interface Mention {
  /** `a commit`, `a merge request`. */
  kind: string;
  title: string;
  url: string;
}

const headersOf = ({ setting, text }: DispatchContext): Record<string, string> =>
  setting('jira_auth_type') === 1
    ? { Authorization: `Bearer ${text('password')}` }
    : basic(text('username'), text('password'));

/** Returns a function that calls the API of one issue. */
function issueOf(context: DispatchContext, key: string) {
  const url = `${base(context.text('api_url') || context.text('url'))}/rest/api/2/issue/${encodeURIComponent(key)}`;
  const headers = { ...headersOf(context), Accept: 'application/json' };
  const read = async <T>(path: string): Promise<T | null> => {
    const { status, body } = await context.call({ method: 'GET', url: `${url}${path}`, headers });
    if (status !== 200) return null;
    try {
      return parseJson<T>(body);
    } catch {
      return null;
    }
  };
  const send = (path: string, body: unknown) => context.call(postJson(`${url}${path}`, body, headers));
  return { read, send };
}

const inBraces = (text: string): string => text.replace(/[{}]/g, '');

/** Adds a link and, if enabled, a comment to a mentioned issue. */
async function mention(context: DispatchContext, key: string, { kind, title, url }: Mention): Promise<void> {
  const { payload, deps } = context;
  const issue = issueOf(context, key);
  if ((await issue.read('')) === null) return;
  const { project, user } = payload;
  const username = user?.username ?? payload.user_username;
  const who = `[${inBraces(actorName(payload))}|${deps.externalUrl()}/${username ?? ''}]`;
  const place = `[${project?.path_with_namespace}|${project?.web_url}]`;
  if (context.flag('comment_on_event_enabled')) {
    const body = `${who} mentioned this issue in [${kind}|${url}] of ${place}:{quote}${inBraces(title)}{quote}`;
    await issue.send('/comment', { body });
  }
  await issue.send('/remotelink', {
    globalId: url,
    application: { name: 'GitLab', type: 'com.gitlab.jira' },
    object: {
      url,
      title: `${kind.replace(/^an? /, '').replace(/^./, (first) => first.toUpperCase())} - ${title}`,
      icon: { title: 'GitLab', url16x16: `${deps.externalUrl()}/favicon.ico` },
      status: { resolved: false },
    },
  });
}

interface Transitions {
  transitions: readonly { id: string; to?: { statusCategory?: { key?: string } } }[];
}

interface Issue {
  fields?: { resolution?: unknown; status?: { statusCategory?: { key?: string } } };
}

/** Closes an issue: by the configured transitions, else by the first one to a `done` state. */
async function close(
  context: DispatchContext,
  key: string,
  { title, url }: Pick<Mention, 'title' | 'url'>,
): Promise<void> {
  const issue = issueOf(context, key);
  const issueData = await issue.read<Issue>('');
  if (issueData === null || issueData.fields?.status?.statusCategory?.key === 'done') return;
  const named = context
    .text('jira_issue_transition_id')
    .split(/[,;]/)
    .map((id) => id.trim())
    .filter(Boolean);
  const known = (await issue.read<Transitions>('/transitions'))?.transitions ?? [];
  const done = known.find(({ to }) => to?.statusCategory?.key === 'done')?.id;
  for (const id of named.length > 0 ? named : done === undefined ? [] : [done]) {
    const { status } = await issue.send('/transitions', { transition: { id } });
    if (status >= 400) return;
  }
  if (named.length === 0 && done === undefined) return;
  await issue.send('/comment', { body: `Issue solved with [${inBraces(title)}|${url}].` });
}

const asMention = ({ title, url }: PayloadCommit): Mention => ({ kind: 'a commit', title, url });

async function onPush(context: DispatchContext): Promise<void> {
  const { payload } = context;
  const onDefault = refName(payload) === payload.project?.default_branch;
  for (const commit of payload.commits ?? []) {
    const closed = new Set(onDefault ? closedBy(commit.message, context) : []);
    for (const key of keysIn(commit.message, context)) {
      if (closed.has(key)) await close(context, key, { title: commit.id.slice(0, 8), url: commit.url });
      else await mention(context, key, asMention(commit));
    }
  }
}

async function onMergeRequest(context: DispatchContext): Promise<void> {
  const {
    title = '',
    description,
    url = '',
    iid,
    action = '',
    target_branch,
  } = context.payload.object_attributes ?? { id: 0 };
  const text = `${title}\n${description ?? ''}`;
  if (action === 'open') {
    for (const key of keysIn(text, context)) await mention(context, key, { kind: 'a merge request', title, url });
  }
  if (action !== 'merge' || target_branch !== context.payload.project?.default_branch) return;
  for (const key of new Set(closedBy(text, context))) await close(context, key, { title: `!${iid}`, url });
}

/**
 * Jira: adds links to mentioned issues, and closes issues that a commit on the default branch or a merge request
 * closes.
 */
export const jira: Handler = (context) => (context.trigger === 'push' ? onPush(context) : onMergeRequest(context));
