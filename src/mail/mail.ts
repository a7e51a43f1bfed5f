/** A mail to one address. */
export interface Mail {
  to: string;
  /** Display name in front of the sender address of the installation. */
  fromName?: string;
  /** Sender address instead of the installation's; the installation must be allowed to send for it. */
  fromAddress?: string;
  replyTo?: string;
  subject: string;
  text: string;
  html?: string;
  /** Without `<>`. Generated if absent; a repeated delivery has the same one. */
  messageId?: string;
  /** The mail this one replies to, and the earlier ones of the thread, without `<>`. */
  inReplyTo?: string;
  references?: readonly string[];
  headers?: Readonly<Record<string, string>>;
  attachments?: readonly Attachment[];
}

export interface Attachment {
  filename: string;
  contentType: string;
  content: string;
}

/** Headers of automatic mails, which prevent automatic replies. */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
