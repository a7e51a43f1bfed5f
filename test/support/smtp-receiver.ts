import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as a receiver got it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Header fields by their names in lower case, unfolded, and decoded where they are encoded words. */
  headers: Record<string, string>;
  /** All of it, as it was sent. */
  source: string;
  /** Its parts, decoded, in their order. */
  parts: { type: string; headers: Record<string, string>; text: string }[];
}

/** A mail server of a test's own, on a free port of 127.0.0.1. It keeps what it is sent. */
export class SmtpReceiver {
  readonly mails: ReceivedMail[] = [];
  /** Decides about each mail before it is taken; what it throws is the refusal (`responseCode`). */
  onMail: (to: string) => void = () => {};
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 1,
      logger: false,
      onRcptTo: ({ address }, _session, callback) => {
        try {
          this.onMail(address);
          callback();
        } catch (error) {
          callback(error as Error);
        }
      },
      onData: (stream, session, callback) => {
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          this.mails.push({ from, to: rcptTo.map(({ address }) => address), ...readMail(Buffer.concat(pieces)) });
          callback();
        });
      },
      ...options,
    });
    // Clients that go away while they speak.
    this.#server.on('error', () => {});
  }

  static async listen(options: SMTPServerOptions = {}, port = 0): Promise<SmtpReceiver> {
    const receiver = new SmtpReceiver(options);
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** For `STITHY_SMTP_URL`. */
  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

type Read = Pick<ReceivedMail, 'headers' | 'source' | 'parts'>;

function readMail(bytes: Buffer): Read {
  const source = bytes.toString();
  const { headers, body } = splitHead(source);
  const boundary = boundaryOf(headers);
  if (boundary === undefined) return { headers, source, parts: [leaf(headers, body)] };
  return { headers, source, parts: partsOf(body, boundary) };
}

const boundaryOf = (headers: Record<string, string>) =>
  /^multipart\/.*boundary="?([^";]+)/i.exec(headers['content-type'] ?? '')?.[1];

function partsOf(body: string, boundary: string): ReceivedMail['parts'] {
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1);
  return pieces.flatMap((piece) => {
    const { headers, body: text } = splitHead(piece.replace(/^\r\n/, ''));
    const inner = boundaryOf(headers);
    return inner === undefined ? [leaf(headers, text)] : partsOf(text, inner);
  });
}

function leaf(headers: Record<string, string>, body: string) {
  const type = (headers['content-type'] ?? 'text/plain').split(';')[0]!.trim();
  return { type, headers, text: decode(headers['content-transfer-encoding'] ?? '7bit', body).replaceAll('\r\n', '\n') };
}

function decode(encoding: string, text: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString();
  return encoding === 'quoted-printable' ? quotedPrintable(text.replaceAll('=\r\n', '')) : text;
}

const quotedPrintable = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString();

function splitHead(text: string): { headers: Record<string, string>; body: string } {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  const headers: Record<string, string> = {};
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    headers[name.toLowerCase()] = words(value);
  }
  return { headers, body: end < 0 ? '' : text.slice(end + 4) };
}

/** Encoded words of RFC 2047 in UTF-8; the space between two of them is not part of the text. */
const words = (value: string) =>
  value
    .replace(/(\?=) (?==\?)/g, '$1')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString() : quotedPrintable(text.replaceAll('_', ' ')),
    );
