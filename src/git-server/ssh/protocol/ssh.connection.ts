import type { Socket } from 'node:net';
import { SshReader, sshString, uint32 } from '../../../core/ssh-fields.ts';
import { Authentication, type FindIdentity } from './authentication.ts';
import { Channel, MAX_DATA, type Peer, readRequest, WINDOW } from './channel.ts';
import { Message, Reason, SshError } from './numbers.ts';
import { Transport, type TransportSettings } from './transport.ts';

/** Sessions over one connection at once. */
const MAX_SESSIONS = 10;
const MIN_DATA = 256;
/** Variables that a client may set, and bytes of each. */
const MAX_VARIABLES = 32;
const MAX_TEXT = 4_096;
/** A client that is silent is asked whether it is there; after so many questions without an answer it is not. */
const ASK_MS = 30_000;
const MAX_SILENCE = 4;
/** A connection over which nothing is done may stay open for so many questions. */
const MAX_IDLE = 20;

/** What somebody who is known wants to be done. */
export interface Command {
  /** Null where they want a shell. */
  line: string | null;
  /** Variables that they have sent: `GIT_PROTOCOL`. */
  variables: ReadonlyMap<string, string>;
  channel: Channel;
}

export interface ConnectionHandlers<I> {
  find: FindIdentity<I>;
  /** Whoever signs in is known from here on. */
  signedIn(identity: I): void;
  /** Does the command and finishes its channel. Never rejects. */
  run(identity: I, command: Command): void;
  /** Once. @param why an SshError where the client did wrong, null where it has left */
  closed(why: unknown): void;
}

interface Session {
  channel: Channel;
  variables: Map<string, string>;
  running: boolean;
}

const REFUSED = { prohibited: 1, unknown: 3, shortage: 4 } as const;

/** One connection of a client: who it is, then its sessions (RFC 4254). There is nothing else: no forwarding, no terminal. */
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

  /** How many sessions are open. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Ends it at once. @param text for the client */
  end(text: string): void {
    this.#transport.fail(new SshError(text, Reason.byApplication));
  }

  /** Opens no session any more, and ends when there is none. */
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
        // RFC 4252, section 5.3: what was sent before it was known that all is well is ignored.
        break;
      case Message.globalRequest:
        this.#global(reader.text(), reader.boolean());
        break;
      case Message.channelOpen:
        this.#open(reader);
        break;
      default:
        if (kind < Message.channelOpen || kind > Message.channelFailure) {
          throw new SshError('a message that this server does not know');
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
    if (this.#idle > MAX_IDLE) this.end('nothing was asked for in ten minutes');
    this.#silence = this.#heard ? 0 : this.#silence + 1;
    this.#heard = false;
    if (this.#silence >= MAX_SILENCE) this.#transport.fail(new SshError('you are silent', Reason.connectionLost));
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
    if (type !== 'session') refuse(REFUSED.unknown, 'only sessions are served');
    else if (over) refuse(REFUSED.prohibited, 'no more sessions');
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
    if (session === undefined) throw new SshError('there is no such channel');
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
