import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { isCertificate, readCertificate } from '../../../src/core/ssh-certificate.ts';
import { sshString } from '../../../src/core/ssh-fields.ts';
import { makeSshKeyPair } from '../../../src/core/ssh-key-pair.ts';
import { verifySshSignature } from '../../../src/core/ssh-verify.ts';
import { readPrivateKey } from '../../../src/git-server/ssh/private-key-file.ts';
import { hostKeyOf } from '../../../src/git-server/ssh/protocol/host-key.ts';
import { Message, SshError } from '../../../src/git-server/ssh/protocol/numbers.ts';
import { Connection } from '../../../src/git-server/ssh/protocol/ssh.connection.ts';
import { RawSsh } from '../../support/raw-ssh.ts';
import { keysOfAllKinds, type SshTestKey } from '../../support/ssh-keys.ts';
import { MemorySocket } from './memory-socket.ts';

const pair = readPrivateKey(makeSshKeyPair('fuzz').privateKey);
const HOST_KEYS = [hostKeyOf(pair.key, pair.blob)];
export const { keys: KEYS, authority } = keysOfAllKinds();
const KNOWN = new Set(KEYS.filter(({ blob }) => !isCertificate(blob)).map(({ blob }) => blob.toString('hex')));

const MIB = 1024 * 1024;
/** More than this never waits for a client: what is not read from, and one message more. */
const MAX_UNSENT = 2 * MIB;
/** Turns of the event loop in which nothing moves, after which nothing will. */
const QUIET_TURNS = 12;
const MAX_TURNS = 50_000;

/** A client that changes what it sends. */
export class FuzzedSsh extends RawSsh {
  /** Messages that prove who somebody is, as they must arrive. */
  readonly genuine = new Set<string>();
  /** Messages that were sent, as they arrive. */
  readonly sent = new Set<string>();
  /** How many messages were to be sent. */
  count = 0;
  /** Whether bytes that are encrypted were changed on their way: nothing counts from there on. */
  broken = false;
  /** Whether a message was added, left out or moved before there were keys. */
  disordered = false;
  change: ((payload: Buffer, n: number) => readonly Buffer[]) | undefined;
  changeBytes: ((packet: Buffer, n: number) => readonly Buffer[]) | undefined;

  protected override onMessage(payload: Buffer): readonly Buffer[] {
    const messages = this.change?.(payload, this.count) ?? [payload];
    this.count += 1;
    for (const each of messages) this.sent.add(each.toString('hex'));
    return messages;
  }

  protected override onPacket(packet: Buffer): readonly Buffer[] {
    return this.changeBytes?.(packet, this.count - 1) ?? [packet];
  }
}

/** A request to sign in with a key. @param sessionId what is signed beside it */
export function signedRequest(key: SshTestKey, user: string, sessionId: Buffer): Buffer {
  const bare = Buffer.concat([
    Buffer.from([Message.userauthRequest]),
    ...[user, 'ssh-connection', 'publickey'].map(sshString),
    Buffer.from([1]),
    sshString(key.algorithm),
    sshString(key.blob),
  ]);
  return Buffer.concat([bare, sshString(key.sign(Buffer.concat([sshString(sessionId), bare])))]);
}

/** Whom a key stands for: one that is known, or of which a known authority says so. */
async function find({ blob }: { blob: Buffer }): Promise<string | undefined> {
  if (!isCertificate(blob)) return KNOWN.has(blob.toString('hex')) ? 'known' : undefined;
  try {
    const certificate = readCertificate(blob);
    if (!certificate.authority.equals(authority.blob) || certificate.kind !== 'user') return undefined;
    return verifySshSignature(certificate.authority, certificate.signature, certificate.signed) ? 'known' : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The server's side of SSH and a client of it, in memory; watches what must never happen. */
export class FuzzConnection {
  readonly client: FuzzedSsh;
  /** The bytes of the client, without any protocol. */
  readonly wire: MemorySocket;
  readonly commands: (string | null)[] = [];
  signedIn = 0;
  /** Why it was closed; undefined while it is open. */
  closed: { why: unknown } | undefined;
  readonly #server: MemorySocket;
  #problem: unknown;

  constructor() {
    const { server, client } = MemorySocket.pair();
    this.#server = server;
    this.wire = client;
    this.client = new FuzzedSsh(client);
    new Connection<string>(
      server,
      { hostKeys: HOST_KEYS, rekeyBytes: 96 * 1024 },
      {
        find,
        signedIn: () => {
          this.signedIn += 1;
          this.#check(() => this.#requireProof());
        },
        run: (_identity, { line, channel }) => {
          this.commands.push(line);
          this.#check(() => assert.ok(!this.client.broken, 'a command is run after bytes were changed on their way'));
          if (line === 'flood') channel.output.write(Buffer.alloc(MIB / 4));
          else if (line === 'echo') channel.input.pipe(channel.output, { end: false });
          else if (line === 'read') channel.input.resume();
          if (line === 'echo' || line === 'read') channel.input.once('end', () => void channel.finish(0));
          else void channel.finish(1);
        },
        closed: (why) => {
          this.#check(() => assert.equal(this.closed, undefined, 'it is closed twice'));
          this.closed = { why };
        },
      },
    );
  }

  #check(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#problem ??= error;
    }
  }

  #requireProof(): void {
    const { client } = this;
    assert.equal(this.signedIn, 1, 'signed in twice');
    assert.ok(!client.broken, 'signed in after bytes were changed on their way');
    assert.ok(!client.disordered, 'signed in though messages before the keys were added, left out or moved');
    if ([...client.genuine].some((each) => client.sent.has(each))) return;
    assert.fail('signed in by what nobody has signed');
  }

  /** Waits until `work` is done, or nothing moves any more. */
  async quiet(work: Promise<unknown>): Promise<void> {
    let done = false;
    const over = work.then(
      () => {
        done = true;
      },
      () => {
        done = true;
      },
    );
    let [still, moved] = [0, this.#moved];
    for (let turns = 0; !done && still < QUIET_TURNS; turns += 1) {
      assert.ok(turns < MAX_TURNS, 'it goes on without end');
      await turn();
      const now = this.#moved;
      still = now === moved ? still + 1 : 0;
      moved = now;
      const waiting = this.#server.writableLength;
      assert.ok(waiting <= MAX_UNSENT, `${waiting} bytes wait for the client`);
    }
    if (done) await over;
  }

  get #moved(): number {
    return this.wire.written + this.#server.written;
  }

  /** Ends it. @throws where anything was wrong */
  async end(): Promise<void> {
    this.client.close();
    for (let turns = 0; this.closed === undefined; turns += 1) {
      assert.ok(turns < 100, 'the server keeps a connection that is gone');
      await turn();
    }
    if (this.#problem !== undefined) throw this.#problem;
    const { why } = this.closed as { why: unknown };
    if (why !== null && !(why instanceof SshError)) throw why;
    assert.ok(this.#server.written <= MIB + 64 * this.wire.written, `${this.#server.written} bytes for few`);
  }
}
