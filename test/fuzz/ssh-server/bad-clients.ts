import { generateKeyPairSync } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { sshString, uint32 } from '../../../src/core/ssh-fields.ts';
import { Message } from '../../../src/git-server/ssh/protocol/numbers.ts';
import type { Random } from '../../crash/random.ts';
import { RawSsh } from '../../support/raw-ssh.ts';
import { randomBytesOf } from '../parsers/mutate.ts';

const unknownKey = generateKeyPairSync('ed25519').privateKey;

/** What a client does that never signs in. */
type Badness = (client: RawSsh, random: Random) => Promise<unknown> | unknown;

async function byteByByte(client: RawSsh, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    client.write(Buffer.from([byte]));
    await turn();
  }
}

async function askToSignIn(client: RawSsh): Promise<void> {
  await client.exchangeKeys();
  client.send(Message.serviceRequest, sshString('ssh-userauth'));
  await client.expect(Message.serviceAccept);
}

const BADNESSES: readonly Badness[] = [
  () => {},
  (client) => client.write('SSH-2.0-slo'),
  (client) => client.sendVersion(),
  (client) => byteByByte(client, Buffer.from('SSH-2.0-slow\r\n')),
  (client, random) => client.write(randomBytesOf(random, 4_000)),
  (client, random) => client.write(`GET / HTTP/1.1\r\nHost: ${random.text(200)}\r\n\r\n`),
  async (client) => {
    await client.sendVersion();
    client.send(client.kexInit());
  },
  async (client, random) => {
    await client.sendVersion();
    const init = client.kexInit();
    client.write(
      Buffer.concat([uint32(init.length + 5), Buffer.from([4]), init.subarray(0, random.below(init.length))]),
    );
  },
  async (client, random) => {
    await client.sendVersion();
    client.write(uint32(random.pick([0, 1, 35_000, 2 ** 31, 2 ** 32 - 1])));
  },
  async (client, random) => {
    await client.sendVersion();
    client.send(client.kexInit());
    client.send(Message.kexExchange, sshString(randomBytesOf(random, random.pick([0, 31, 32, 33, 1_216]))));
  },
  (client) => client.exchangeKeys(),
  async (client) => {
    await client.exchangeKeys();
    client.send(client.kexInit());
  },
  async (client, random) => {
    await client.exchangeKeys();
    client.write(randomBytesOf(random, 2_000));
  },
  askToSignIn,
  async (client, random) => {
    await askToSignIn(client);
    for (let left = random.below(25); left > 0; left -= 1) client.requestLogin(unknownKey);
  },
  async (client) => {
    await client.sendVersion();
    client.stall(true);
    client.send(client.kexInit());
  },
];

/** A connection of somebody who never signs in: half or slow handshakes, nonsense, unknown keys. It stays open. */
export async function badClient(port: number, from: string, random: Random): Promise<RawSsh> {
  const act = random.pick(BADNESSES);
  const client = await RawSsh.connect(port, from);
  const leaves = random.below(4) === 0;
  // The server may end it in the middle, which is its right.
  const acted = Promise.resolve(act(client, random)).catch(() => {});
  if (leaves) {
    for (let turns = random.below(20); turns > 0; turns -= 1) await turn();
    client.close();
  }
  void acted;
  return client;
}
