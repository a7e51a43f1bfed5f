import type { NodemailerError, Transporter } from 'nodemailer';
import type { Config } from '../config/config.ts';
import type { MailAddress } from '../core/mail-address.ts';
import { AUTOMATIC, type Mail } from './mail.ts';

/** Number of connections to the mail server, and of mails per connection. */
const CONNECTIONS = 4;
const MAILS_EACH = 100;
/** Timeouts in milliseconds for connecting, for the greeting, and for inactivity. */
const CONNECT_MS = 10_000;
const SILENT_MS = 60_000;

/** A mail that the mail server refuses permanently. */
export class MailRejected extends Error {
  readonly permanent = true;
}

/** A mail as it leaves. */
export interface OutgoingMail extends Pick<Mail, 'to' | 'subject' | 'text' | 'html'> {
  messageId: string;
  /** Name and address of the sender. */
  from: string;
}

/** Sees each mail before it is sent. @returns whether it is sent; it counts as sent in any case */
export type MailObserver = (mail: OutgoingMail) => Promise<boolean>;

/** Sends mails through the configured mail server. Nothing is loaded or connected before the first mail. */
export class Mailer {
  readonly #url: string | null;
  readonly #from: () => MailAddress;
  readonly #frame: { prefix: string | null; suffix: string | null };
  #transport: Promise<Transporter> | undefined;
  #observer: MailObserver | null = null;
  #suspended = 0;

  /** @param host host of the external URL, for the default sender address */
  constructor({ smtpUrl, from, subjectPrefix, subjectSuffix }: Config['mail'], host: () => string) {
    this.#url = smtpUrl;
    this.#frame = { prefix: subjectPrefix, suffix: subjectSuffix };
    this.#from = () => from ?? { name: 'Stithy', address: `noreply@${host()}` };
  }

  /** Whether mails are made: a mail server is configured, or somebody sees them. */
  get sends(): boolean {
    return this.#suspended === 0 && (this.#url !== null || this.#observer !== null);
  }

  /** Makes no mails until the function that it gives is called. */
  suspend(): () => void {
    this.#suspended += 1;
    let ended = false;
    return () => {
      if (!ended) this.#suspended -= 1;
      ended = true;
    };
  }

  /** Has somebody further up see all mails; they are made without a mail server then. To be called during the start. */
  observe(observer: MailObserver): void {
    this.#observer = observer;
  }

  /**
   * Hands a mail to the mail server, which is responsible for it afterwards.
   * @throws MailRejected for a permanent refusal; errors of the connection
   */
  async send(mail: Mail & { messageId: string }): Promise<void> {
    const {
      to,
      fromName,
      fromAddress,
      replyTo,
      subject,
      text,
      html,
      messageId,
      inReplyTo,
      references,
      headers,
      attachments,
    } = mail;
    const { name, address } = this.#from();
    const sender = { name: fromName ?? name, address: fromAddress ?? address };
    const framed = this.#framed(subject);
    if (this.#observer !== null) {
      const from = `${sender.name} <${sender.address}>`;
      const leaves = await this.#observer({ messageId, to, from, subject: framed, text, ...(html && { html }) });
      if (!leaves || this.#url === null) return;
    }
    const transport = await this.#open();
    const bracketed = (id: string) => `<${id}>`;
    try {
      await transport.sendMail({
        from: sender,
        to: { name: '', address: to },
        subject: framed,
        text,
        messageId: bracketed(messageId),
        headers: { ...AUTOMATIC, ...headers },
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(html === undefined ? {} : { html }),
        ...(replyTo === undefined ? {} : { replyTo }),
        ...(inReplyTo === undefined ? {} : { inReplyTo: bracketed(inReplyTo) }),
        ...(references === undefined ? {} : { references: references.map(bracketed) }),
        ...(attachments === undefined ? {} : { attachments: [...attachments] }),
      });
    } catch (error) {
      const message = this.#withoutPassword((error as Error).message);
      throw isRefusal(error as NodemailerError) ? new MailRejected(message) : new Error(message);
    }
  }

  /** Checks whether the mail server accepts mails. @throws its refusal or an error of the connection */
  async verify(): Promise<void> {
    try {
      await (await this.#open()).verify();
    } catch (error) {
      throw new Error(this.#withoutPassword((error as Error).message));
    }
  }

  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined);
    this.#transport = undefined;
    transport?.close();
  }

  /** The answer of a mail server may repeat its input, and errors are stored and shown. */
  #withoutPassword(text: string): string {
    const url = this.#url === null ? null : new URL(this.#url);
    if (url === null || url.password === '') return text;
    const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
    const base64 = (clear: string) => Buffer.from(clear).toString('base64');
    const forms = [base64(`\0${user}\0${password}`), base64(password), url.password, password];
    return forms.reduce((masked, form) => masked.replaceAll(form, '[MASKED]'), text);
  }

  /** `Re: ` stays at the beginning, so that mail programs recognize a reply. */
  #framed(subject: string): string {
    const { prefix, suffix } = this.#frame;
    const [, re = '', rest = ''] = /^(Re: )?(.*)$/s.exec(subject)!;
    return re + [prefix, rest, suffix].filter((part) => part !== null && part !== '').join(' | ');
  }

  async #open(): Promise<Transporter> {
    if (this.#url === null) throw new Error('STITHY_SMTP_URL is not set');
    if (this.#transport !== undefined) return this.#transport;
    const opening = connect(this.#url);
    this.#transport = opening;
    opening.catch(() => {
      if (this.#transport === opening) this.#transport = undefined;
    });
    return opening;
  }
}

async function connect(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    maxMessages: MAILS_EACH,
    connectionTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
  });
}

/** Whether the server refuses this mail permanently; other failures, such as a wrong password, can be fixed. */
const isRefusal = ({ code, responseCode = 0 }: NodemailerError): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode === 0 || (responseCode >= 500 && responseCode < 600));
