import type { Socket } from 'node:net';
import { SshReader, sshString, uint32 } from '../../../core/ssh-fields.ts';
import { Authentication, type FindIdentity } from './authentication.ts';
import { Channel, MAX_DATA, type Peer, readRequest, WINDOW } from './channel.ts';
import { Message, Reason, SshError } from './numbers.ts';
import { Transport, type TransportSettings } from './transport.ts';

/** Maximum number of concurrent sessions of a connection. */
const MAX_SESSIONS = 10;
const MIN_DATA = 256;
/** Maximum number of variables that a client may set, and maximum size of each in bytes. */
const MAX_VARIABLES = 32;
const MAX_TEXT = 4_096;
/** Keepalive interval, and number of unanswered keepalives after which the connection is closed. */
const ASK_MS = 30_000;
const MAX_SILENCE = 4;
/** Number of keepalive intervals after which an idle connection is closed. */
const MAX_IDLE = 20;

/** A command of an authenticated client. */
export interface Command {
  /** Null requests a shell. */
  line: string | null;
  /** Environment variables of the client, such as `GIT_PROTOCOL`. */
  variables: ReadonlyMap<string, string>;
  channel: Channel;
}

export interface ConnectionHandlers<I> {
  find: FindIdentity<I>;
  /** Called once the client is authenticated. */
  signedIn(identity: I): void;
  /** Runs the command and finishes its channel. Never rejects. */
  run(identity: I, command: Command): void;
  /** Called once. @param why an SshError for a client error, null for a disconnect */
  closed(why: unknown): void;
}

interface Session {
  channel: Channel;
  variables: Map<string, string>;
  running: boolean;
}

const REFUSED = { prohibited: 1, unknown: 3, shortage: 4 } as const;

/** One connection of a client: authentication, then sessions (RFC 4254). Forwarding and terminals are not supported. */
export class Connection<I> {
  readonly #transport: Transport;
  readonly #handlers: ConnectionHandlers<I>;
  readonly #authentication: Authentication<I>;
  readonly #sessions = new Map<number, Session>();
  #identity: { is: I } | undefined;
  #lastId = 0;
  #noMore = false;
  #draining: string | undefined;
  #idle = 0;
  #heard = true;
  #silence = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, settings: TransportSettings, handlers: ConnectionHandlers<I>) {
    this.#handlers = handlers;
    this.#transport = new Transport(socket, settings, {
      message: (kind, payload) => this.#message(kind, payload),
      drained: () => {
        for (const { channel } of this.#sessions.values()) channel.pump();
      },
      closed: (why) => {
        clearInterval(this.#timer);
        for (const { channel } of this.#sessions.values()) channel.close(false);
        this.#sessions.clear();
        handlers.closed(why);
      },
    });
    this.#authentication = new Authentication(this.#transport, handlers.find);
  }

  /** Number of open sessions. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Closes the connection immediately. @param text for the client */
  end(text: string): void {
    this.#transport.fail(new SshError(text, Reason.byApplication));
  }

  /** Refuses new sessions and closes the connection once there is none. */
  drain(text: string): void {
    this.#draining = text;
    if (this.#sessions.size === 0) this.end(text);
  }

  #message(kind: number, payload: Buffer): undefined | Promise<void> {
    this.#heard = true;
    if (this.#identity === undefined) return this.#authenticate(kind, payload);
    const reader = new SshReader(payload, 1);
    switch (kind) {
      case Message.userauthRequest:
      case Message.requestSuccess:
      case Message.requestFailure:
        // RFC 4252, section 5.3: requests sent before authentication succeeded are ignored.
        break;
      case Message.globalRequest:
        this.#global(reader.text(), reader.boolean());
        break;
      case Message.channelOpen:
        this.#open(reader);
        break;
      default:
        if (kind < Message.channelOpen || kind > Message.channelFailure) {
          throw new SshError('unsupported message type');
        }
        this.#ofChannel(kind, reader);
    }
    return undefined;
  }

  async #authenticate(kind: number, payload: Buffer): Promise<void> {
    const identity = await this.#authentication.message(kind, payload);
    if (identity === undefined) return;
    this.#identity = { is: identity };
    this.#transport.trust();
    this.#timer = setInterval(() => this.#ask(), ASK_MS).unref();
    this.#handlers.signedIn(identity);
  }

  #ask(): void {
    this.#idle = this.#sessions.size === 0 ? this.#idle + 1 : 0;
    if (this.#idle > MAX_IDLE) this.end('idle for ten minutes');
    this.#silence = this.#heard ? 0 : this.#silence + 1;
    this.#heard = false;
    if (this.#silence >= MAX_SILENCE) this.#transport.fail(new SshError('keepalive timed out', Reason.connectionLost));
    if (this.#silence > 0) {
      this.#transport.send(Message.globalRequest, sshString('keepalive@openssh.com'), Buffer.from([1]));
    }
  }

  #global(name: string, wantsReply: boolean): void {
    const known = name === 'no-more-sessions@openssh.com';
    if (known) this.#noMore = true;
    if (wantsReply) this.#transport.send(known ? Message.requestSuccess : Message.requestFailure);
  }

  #open(reader: SshReader): void {
    const type = reader.text();
    const peer = { id: reader.uint32(), window: reader.uint32(), maxData: Math.min(reader.uint32(), MAX_DATA) };
    const refuse = (reason: number, text: string) =>
      this.#transport.send(
        ...[Message.channelOpenFailure, uint32(peer.id), uint32(reason), sshString(text), sshString('')],
      );
    const over = this.#noMore || this.#draining !== undefined || peer.maxData < MIN_DATA;
    if (type !== 'session') refuse(REFUSED.unknown, 'only session channels are supported');
    else if (over) refuse(REFUSED.prohibited, 'no more sessions allowed');
    else if (this.#sessions.size >= MAX_SESSIONS) refuse(REFUSED.shortage, 'too many sessions');
    else this.#accept(peer);
  }

  #accept(peer: Peer): void {
    const id = this.#lastId;
    this.#lastId = (id + 1) >>> 0;
    this.#sessions.set(id, { channel: new Channel(this.#transport, peer), variables: new Map(), running: false });
    const numbers = [peer.id, id, WINDOW, MAX_DATA].map(uint32);
    this.#transport.send(Message.channelOpenConfirmation, ...numbers);
  }

  #ofChannel(kind: number, reader: SshReader): void {
    const id = reader.uint32();
    const session = this.#sessions.get(id);
    if (session === undefined) throw new SshError('unknown channel');
    const { channel } = session;
    switch (kind) {
      case Message.channelWindowAdjust:
        channel.widen(reader.uint32());
        break;
      case Message.channelData:
        channel.receive(reader.string(), false);
        break;
      case Message.channelExtendedData:
        reader.uint32();
        channel.receive(reader.string(), true);
        break;
      case Message.channelEof:
        channel.receiveEnd();
        break;
      case Message.channelClose:
        this.#sessions.delete(id);
        channel.close();
        if (this.#draining !== undefined) this.drain(this.#draining);
        break;
      case Message.channelRequest:
        this.#request(session, reader);
    }
  }

  #request(session: Session, reader: SshReader): void {
    const { type, wantsReply, rest } = readRequest(reader);
    const { channel, variables } = session;
    let line: string | null | undefined;
    let good = false;
    if (type === 'env' && !session.running) {
      const [name, value] = [rest.text(), rest.text()];
      good = name === 'GIT_PROTOCOL' && value.length <= MAX_TEXT && variables.size < MAX_VARIABLES;
      if (good) variables.set(name, value);
    } else if (type === 'exec' && !session.running) {
      line = rest.string().toString('utf8');
    } else if (type === 'shell' && !session.running) {
      line = null;
    }
    good ||= line !== undefined;
    if (wantsReply) channel.reply(good);
    if (line === undefined) return;
    session.running = true;
    this.#handlers.run(this.#identity!.is, { line, variables, channel });
  }
}
