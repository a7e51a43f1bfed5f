import type { DispatchContext } from '../dispatch/dispatch-context.ts';
import { actorName } from '../dispatch/integration-payload.ts';
import { type ChatMessage, GREY } from './chat-message.ts';
import { projectLink } from './project-link.ts';
import type { Style } from './style.ts';

const WIKI_VERBS: Readonly<Record<string, string>> = { create: 'created', update: 'edited', delete: 'deleted' };
const MAX_TEXT = 8_000;

/** Message about a wiki page. */
export function wikiMessage({ payload }: DispatchContext, style: Style): ChatMessage | undefined {
  const {
    title = '',
    url = '',
    diff_url = '',
    content = '',
    action = '',
    message,
  } = payload.object_attributes ?? { id: 0 };
  const verb = WIKI_VERBS[action];
  if (verb === undefined) return undefined;
  const who = style.plain(actorName(payload));
  const place = projectLink(style, payload);
  const page = style.link('wiki page', url);
  const diff = style.link('Compare changes', diff_url);
  return {
    summary: `${who} ${verb} ${page} (${diff}) in ${place}: *${style.plain(title)}*`,
    attachments: [{ text: style.plain((message || content).slice(0, MAX_TEXT)), color: GREY }],
    activity: { title: `${who} ${verb} ${page}`, subtitle: `in ${place}`, text: style.plain(title) },
    thread: `wiki_page ${url}`,
    channel: 'wiki_page',
  };
}

const COLORS: Readonly<Record<string, string>> = { success: 'good', canceled: 'warning', failed: 'danger' };
const ENDS: Readonly<Record<string, string>> = { success: 'succeeded', failed: 'failed', canceled: 'was canceled' };

/** Message about a deployment. */
export function deploymentMessage({ payload }: DispatchContext, style: Style): ChatMessage {
  const { status = '', environment = '', deployable_id, deployable_url, short_sha = '', commit_url = '' } = payload;
  const name = style.plain(environment);
  const end = ENDS[status];
  const summary =
    status === 'running' ? `Starting deploy to ${name}` : `Deploy to ${name} ${end ?? style.plain(status)}`;
  const job = deployable_url == null ? '' : ` with job ${style.link(`#${deployable_id}`, deployable_url)}`;
  const what = `${style.link(short_sha, commit_url)}: ${style.plain(payload.commit_title ?? '')}`;
  const place = projectLink(style, payload);
  const who = style.plain(actorName(payload));
  return {
    summary,
    attachments: [{ text: `${place}${job} by ${who}\n${what}`, color: COLORS[status] ?? '#334455' }],
    activity: { title: summary, subtitle: `in ${place}`, text: what },
    thread: `deployment ${payload.project?.path_with_namespace ?? ''}_${environment}`,
    channel: 'deployment',
  };
}
