import type { DispatchContext } from '../dispatch/dispatch-context.ts';
import { actorName, type Payload, type PayloadAttributes } from '../dispatch/integration-payload.ts';
import { type ChatMessage, GREY } from './chat-message.ts';
import { projectLink } from './project-link.ts';
import type { Style } from './style.ts';

const OPENED = '#C95823';
/** Maximum length of a text in a message. */
const MAX_TEXT = 8_000;

const short = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
const pathOf = ({ project }: Payload): string => project?.path_with_namespace ?? '';

const ISSUE_VERBS: Readonly<Record<string, string>> = { open: 'opened', close: 'closed', reopen: 'reopened' };

/** Message about an issue that was opened, closed or reopened. */
export function issueMessage({ payload, trigger }: DispatchContext, style: Style): ChatMessage | undefined {
  const { title = '', iid, url = '', description, action = '', type } = payload.object_attributes ?? { id: 0 };
  const verb = ISSUE_VERBS[action];
  if (verb === undefined) return undefined;
  const who = style.plain(actorName(payload));
  const kind = type ?? 'Issue';
  const link = style.link(`#${iid} ${style.plain(title)}`, url);
  const opened = {
    title: `#${iid} ${style.plain(title)}`,
    title_link: url,
    text: style.plain(short(description ?? '')),
    color: OPENED,
  };
  const ofIssue = trigger === 'confidential_issues' ? 'confidential_issue' : 'issue';
  return {
    summary: `[${projectLink(style, payload)}] ${kind} ${link} ${verb} by ${who}`,
    attachments: action === 'open' ? [opened] : [],
    activity: { title: `${kind} ${verb} by ${who}`, subtitle: `in ${projectLink(style, payload)}`, text: link },
    thread: `issue ${pathOf(payload)}#${iid}`,
    channel: type === 'Incident' ? 'incident' : ofIssue,
  };
}

const MERGE_REQUEST_VERBS: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  approved: 'approved',
  unapproved: 'unapproved',
  approval: 'added their approval to',
  unapproval: 'removed their approval from',
};

/** Message about a merge request; undefined for updates of its attributes. */
export function mergeRequestMessage({ payload }: DispatchContext, style: Style): ChatMessage | undefined {
  const { title = '', iid, url = '', action = '' } = payload.object_attributes ?? { id: 0 };
  const verb = MERGE_REQUEST_VERBS[action];
  if (verb === undefined) return undefined;
  const who = style.plain(actorName(payload));
  const link = style.link(`!${iid} *${style.plain(title)}*`, url);
  const place = projectLink(style, payload);
  const ofState = /^(open|close|reopen|merge)$/.test(action);
  return {
    summary: `${who} ${verb} merge request ${link} in ${place}`,
    attachments: [],
    activity: {
      title: ofState ? `Merge request ${verb} by ${who}` : `${who} ${verb} merge request`,
      subtitle: `in ${place}`,
      text: link,
    },
    thread: `merge request ${pathOf(payload)}!${iid}`,
    channel: 'merge_request',
  };
}

/** The noteable of a comment: description and title. */
function target({ commit, issue, merge_request, snippet }: Payload): { words: string; title: string; thread: string } {
  const of = (kind: string, sign: string, { iid, id, title = '' }: PayloadAttributes) => ({
    words: `${kind} ${sign}${iid ?? id}`,
    title,
    thread: `${kind} `,
  });
  if (issue !== undefined) return of('issue', '#', issue);
  if (merge_request != null) return of('merge request', '!', merge_request);
  if (snippet !== undefined) return of('snippet', '$', snippet);
  return { words: `commit ${commit?.id.slice(0, 8) ?? ''}`, title: commit?.title ?? '', thread: 'commit ' };
}

/** Message about a new comment. */
export function noteMessage({ payload, trigger }: DispatchContext, style: Style): ChatMessage | undefined {
  const { note = '', url = '', action, system } = payload.object_attributes ?? { id: 0 };
  if (system === true || (action !== undefined && action !== 'create')) return undefined;
  const { words, title, thread } = target(payload);
  const who = style.plain(actorName(payload));
  const place = projectLink(style, payload);
  const link = style.link(`commented on ${words}`, url);
  return {
    summary: `${who} ${link} in ${place}: *${style.plain(title)}*`,
    attachments: [{ text: style.plain(short(note)), color: GREY }],
    activity: { title: `${who} ${link}`, subtitle: `in ${place}`, text: style.plain(title) },
    thread: `${thread}${pathOf(payload)}${words.slice(thread.length)}`,
    channel: trigger,
  };
}
