/** An attachment of a message. */
export interface Attachment {
  text: string;
  color: string;
  title?: string;
  title_link?: string;
}

/** A message about an event, independent of the chat's format. */
export interface ChatMessage {
  /** What happened, in a sentence with links. */
  summary: string;
  attachments: readonly Attachment[];
  /** The same in parts, for chats that show cards. */
  activity: { title: string; subtitle: string; text: string };
  /** Key of the conversation that the message belongs to. */
  thread: string;
  /** Name of the event's channel, before `_channel`. */
  channel: string;
  /** For pipelines: the attachment that Slack shows instead. */
  card?: object;
}

export const GREY = '#345';
