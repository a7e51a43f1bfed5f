/** One mail to one address, as whoever has it sent describes it. */
export interface Mail {
  to: string;
  /** The name beside the address of the installation, which every mail comes from. */
  fromName?: string;
  /** Comes from this address instead: only one that the installation may send for. */
  fromAddress?: string;
  replyTo?: string;
  subject: string;
  text: string;
  html?: string;
  /** Without `<>`. What is left out is made: a mail that is sent twice has the same one both times. */
  messageId?: string;
  /** What it answers to, and the mails before it, without `<>`. */
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

/** What a program that sends mail by itself says, so that no other program answers it. */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
