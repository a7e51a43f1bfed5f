import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SshReader, uint32 } from '../../../src/core/ssh-fields.ts';
import { makeSshKeyPair } from '../../../src/core/ssh-key-pair.ts';
import { readPrivateKey } from '../../../src/git-server/ssh/private-key-file.ts';
import { Message } from '../../../src/git-server/ssh/protocol/numbers.ts';
import { LIMITS } from '../../../src/git-server/ssh/ssh-server.limits.ts';
import { serveSsh } from '../../../src/git-server/ssh/ssh-server.server.ts';
import { Random } from '../../crash/random.ts';
import { buildTestApp, expectStatus } from '../../support/app.ts';
import { RawSsh } from '../../support/raw-ssh.ts';
import { badClient } from './bad-clients.ts';

const MIB = 1024 * 1024;
const BAD = 200;
/** Some come from few addresses, so that they are more than one may have. */
const ADDRESSES = [2, 5, 40];
/** Milliseconds that a stranger may take: as long as a busy machine may need for the good client. */
const LOGIN_MS = 15_000;
const MAX_GROWTH = 32 * MIB;
/** Milliseconds of processor time, of the server and all clients, for one wave. */
const MAX_CPU_MS = 30_000;
/** Connections that the server has refused or ended, and that are not closed yet. */
const ENDING = 60;

/**
 * Comes to a whole server over TCP in waves: 200 clients that never sign in, and a good one beside them that must be served.
 * @returns what went wrong: a good client that is not served, connections past the limits or kept, memory that grows
 */
export async function fuzzSshServer(seed: number, waves: number): Promise<string[]> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const app = await buildTestApp({ settings: { STITHY_MAX_CONNECTIONS: '4000' } });
  const limits = { ...LIMITS, loginMs: LOGIN_MS, perMinute: 1_000_000 };
  const server = await serveSsh(app.deps, '127.0.0.1', 0, limits);
  const { port } = server;
  const held = new Set<Socket>();
  let max = 0;
  const taken = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort !== port) return;
    held.add(socket.once('close', () => held.delete(socket)));
    max = Math.max(max, held.size);
  };
  subscribe('net.server.socket', taken);
  const { token, user } = await app.make.user();
  const pair = makeSshKeyPair('good');
  expectStatus(await app.post('/user/keys', { token, json: { title: 'k', key: pair.publicKey } }), 201);
  const { key } = readPrivateKey(pair.privateKey);

  async function goodClient(): Promise<void> {
    const client = await RawSsh.connect(port);
    await client.exchangeKeys();
    await client.login(key);
    client.openSession(0);
    await client.expect(Message.channelOpenConfirmation);
    client.request(0, 'shell');
    const greeting = new SshReader(await client.expect(Message.channelData), 5).text();
    assert.equal(greeting, `Welcome to Stithy, @${user.username}!\n`);
    await client.expect(Message.channelClose);
    client.send(Message.channelClose, uint32(0));
    client.close();
  }

  /** @param patient whether the clients leave it to the server to end them */
  async function wave(random: Random, patient: boolean): Promise<void> {
    const before = process.cpuUsage();
    const addresses = random.pick(ADDRESSES);
    const bad: RawSsh[] = [];
    const good: Promise<void>[] = [];
    for (let at = 0; at < BAD; at += 1) {
      bad.push(await badClient(port, `127.0.0.${2 + (at % addresses)}`, random));
      if (at === BAD / 2) good.push(goodClient());
    }
    good.push(goodClient());
    await Promise.all(good);
    await goodClient();
    if (!patient) for (const each of bad) each.close();
    for (let left = 2 * LOGIN_MS; held.size > 0 && left > 0; left -= 20) await wait(20);
    for (const each of bad) each.close();
    assert.equal(held.size, 0, 'the server keeps connections');
    assert.ok(max <= limits.strangers + ENDING, `the server has held ${max} connections`);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1_000 < MAX_CPU_MS, `${Math.round((user + system) / 1_000)} ms of processor time`);
  }

  const usedMemory = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  const failures: string[] = [];
  try {
    let memory: number | undefined;
    for (let n = 0; n < waves && failures.length < 20; n += 1) {
      await wave(new Random((seed + n) >>> 0), n === waves - 1).catch((error: unknown) => {
        failures.push(`wave ${n} of seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`);
      });
      const used = usedMemory();
      memory ??= used;
      if (used - memory > MAX_GROWTH)
        failures.push(`memory grew by ${Math.round((used - memory) / MIB)} MiB in ${n} waves`);
    }
    const faults = app.logLines.filter((line) => line.includes('an SSH connection failed'));
    failures.push(...faults.slice(0, 20));
  } finally {
    unsubscribe('net.server.socket', taken);
    server.close();
    await app.close();
  }
  process.stdout.write(`  ${waves} waves of ${BAD} connections; at most ${max} at once\n`);
  return failures;
}
