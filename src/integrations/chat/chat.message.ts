import type { DispatchContext } from '../dispatch/dispatch-context.ts';
import type { ChatMessage } from './chat-message.ts';
import { deploymentMessage, wikiMessage } from './delivery-messages.ts';
import { issueMessage, mergeRequestMessage, noteMessage } from './issuable-messages.ts';
import { pipelineMessage } from './pipeline-message.ts';
import { pushMessage } from './push-message.ts';
import type { Style } from './style.ts';

const MESSAGES: Readonly<Record<string, (context: DispatchContext, style: Style) => ChatMessage | undefined>> = {
  push: pushMessage,
  tag_push: pushMessage,
  issues: issueMessage,
  confidential_issues: issueMessage,
  merge_requests: mergeRequestMessage,
  note: noteMessage,
  confidential_note: noteMessage,
  pipeline: pipelineMessage,
  wiki_page: wikiMessage,
  deployment: deploymentMessage,
};

/** Builds the message for an event; undefined if chats are not notified of it. */
export const chatMessage = (context: DispatchContext, style: Style): ChatMessage | undefined =>
  MESSAGES[context.trigger]?.(context, style);
