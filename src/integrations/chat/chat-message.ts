/** What stands below a message. */
export interface Attachment {
  text: string;
  color: string;
  title?: string;
  title_link?: string;
}

/** What a chat is told of an event, whatever its format. */
export interface ChatMessage {
  /** What happened, in a sentence with links. */
  summary: string;
  attachments: readonly Attachment[];
  /** The same in parts, for chats that show a card. */
  activity: { title: string; subtitle: string; text: string };
  /** What belongs together: one conversation. */
  thread: string;
  /** Name of the event's channel, before `_channel`. */
  channel: string;
  /** Of pipelines: what Slack shows instead. */
  card?: object;
}

export const GREY = '#345';
