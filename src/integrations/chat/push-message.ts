import type { DispatchContext } from '../dispatch/dispatch-context.ts';
import {
  actorName,
  isNewRef,
  isRemovedRef,
  isTag,
  type PayloadCommit,
  refName,
} from '../dispatch/integration-payload.ts';
import { type ChatMessage, GREY } from './chat-message.ts';
import { projectLink } from './project-link.ts';
import type { Style } from './style.ts';

/** `[2d1db523](url): Title - Ann`. */
export const commitLine = ({ plain, link }: Style, { id, url, title, author }: PayloadCommit): string =>
  `${link(id.slice(0, 8), url)}: ${plain(title)} - ${plain(author.name)}`;

/** Message about a push. */
export function pushMessage({ payload, trigger }: DispatchContext, style: Style): ChatMessage {
  const { project, commits = [], before = '', after = '' } = payload;
  const { link, plain } = style;
  const web = project?.web_url ?? '';
  const name = refName(payload);
  const kind = isTag(payload) ? 'tag' : 'branch';
  const ref = link(plain(name), isTag(payload) ? `${web}/-/tags/${name}` : `${web}/-/commits/${name}`);
  const place = projectLink(style, payload);
  const compare = link('Compare changes', `${web}/-/compare/${before}...${after}`);
  const changed = !isNewRef(payload) && !isRemovedRef(payload);
  const who = plain(actorName(payload));
  const did = isRemovedRef(payload)
    ? `${who} removed ${kind} ${plain(name)}`
    : isNewRef(payload)
      ? `${who} pushed new ${kind} ${ref}`
      : `${who} pushed to ${kind} ${ref}`;
  const preposition = isRemovedRef(payload) ? 'from' : isNewRef(payload) ? 'to' : 'of';
  return {
    summary: `${did} ${preposition} ${place}${changed ? ` (${compare})` : ''}`,
    attachments:
      changed && commits.length > 0
        ? [{ text: commits.map((commit) => commitLine(style, commit)).join('\n\n'), color: GREY }]
        : [],
    activity: {
      title: did,
      subtitle: `${preposition === 'of' ? 'in' : preposition} ${place}`,
      text: changed ? compare : '',
    },
    thread: `push ${project?.path_with_namespace ?? ''}_${payload.ref ?? ''}`,
    channel: trigger,
  };
}
