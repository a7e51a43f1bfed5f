import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { isResourceExhaustion } from '../../../core/resource-exhaustion.ts';
import type { SpawnedChild } from './child.ts';
import { Spawner } from './spawner.ts';
import { spawnerPid, startChild, startSpawner } from './start-child.ts';

async function spawnerOf(t: TestContext): Promise<Spawner> {
  const spawner = await Spawner.start(() => {});
  t.after(() => spawner.stop());
  return spawner;
}

function sh(spawner: Spawner, script: string, pipes = 3, cwd = '/'): SpawnedChild {
  const env = { PATH: process.env.PATH ?? '', WORD: 'here' };
  const child = spawner.child({ command: '/bin/sh', args: ['-c', script], cwd, env, pipes });
  child.on('error', () => {});
  return child;
}

const end = (child: SpawnedChild) =>
  new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('close', (code, signal) => resolve([code, signal])),
  );

test('a child reads, writes, complains and ends with its code, as one of this process would', async (t) => {
  const spawner = await spawnerOf(t);
  const child = sh(spawner, 'echo "$WORD in $PWD" >&2; cat; exit 3', 3, '/usr');
  child.stdin.end('what it reads');
  const [out, err, closed] = await Promise.all([text(child.stdout), text(child.stderr), end(child)]);
  assert.deepEqual([out, err, closed], ['what it reads', 'here in /usr\n', [3, null]]);
  assert.ok(child.pid! > 0);
});

test('whoever waits for the start misses nothing of a child that ends at once', async (t) => {
  const spawner = await spawnerOf(t);
  const outputs = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const child = sh(spawner, `echo ${n}`);
      await child.started;
      const exit = once(child, 'exit');
      const words = await text(child.stdout);
      await exit;
      return words;
    }),
  );
  assert.deepEqual(
    outputs,
    outputs.map((_, n) => `${n}\n`),
  );
});

test('large input and output pass, with other children beside it', async (t) => {
  const spawner = await spawnerOf(t);
  const all = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const child = sh(spawner, 'cat');
      const bytes = Buffer.alloc(3_000_000, n);
      child.stdin.end(bytes);
      const [out, [code]] = await Promise.all([buffer(child.stdout), end(child)]);
      return code === 0 && out.equals(bytes);
    }),
  );
  assert.ok(all.every(Boolean));
});

test('pipes beyond the third go both ways', async (t) => {
  const child = sh(await spawnerOf(t), 'read word <&3; echo "got $word" >&4', 5);
  const [, , , asked, answered] = child.stdio as [Socket, Socket, Socket, Socket, Socket];
  asked.end('a word\n');
  assert.equal(await text(answered), 'got a word\n');
});

test('a child may wait for any of its pipes', async (t) => {
  const child = sh(await spawnerOf(t), 'echo on; cat <&3 >&4', 5);
  const [, , , asked, answered] = child.stdio as [Socket, Socket, Socket, Socket, Socket];
  await once(child.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 200));
  asked.end('late');
  assert.equal(await text(answered), 'late');
});

test('what nobody reads is given up with the child', async (t) => {
  const child = sh(await spawnerOf(t), 'head -c 50000 /dev/zero');
  const [code] = await end(child);
  assert.equal(code, 0);
});

test('one that reads nothing breaks no stream of the server', async (t) => {
  const child = sh(await spawnerOf(t), 'exit 0');
  child.stdin.write(Buffer.alloc(5_000_000));
  assert.deepEqual(await end(child), [0, null]);
});

test('pipes that are destroyed before they connect end neither other children nor their order', async (t) => {
  let deaths = 0;
  const spawner = await Spawner.start(() => {
    deaths += 1;
  });
  t.after(() => spawner.stop());
  const lasting = sh(spawner, 'echo on; cat');
  await once(lasting.stdout, 'data');
  for (const error of [new Error('left early'), undefined]) {
    for (const which of [[0], [1], [2], [0, 1, 2]]) {
      const left = sh(spawner, 'cat; echo a word for nobody');
      const closed = end(left);
      for (const index of which) left.stdio[index]!.destroy(error);
      if (!which.includes(0)) left.stdin.end();
      const next = sh(spawner, 'cat; echo a complaint >&2');
      next.stdin.end('its own');
      assert.deepEqual(await Promise.all([text(next.stdout), text(next.stderr)]), ['its own', 'a complaint\n']);
      await closed;
    }
  }
  lasting.stdin.end('still there');
  assert.equal(await text(lasting.stdout), 'still there');
  assert.equal(deaths, 0);
});

test('a signal reaches what a child started, also one that comes before the child runs', async (t) => {
  const spawner = await spawnerOf(t);
  const child = sh(spawner, 'sleep 600 & echo on; wait');
  await once(child.stdout, 'data');
  child.signalGroup('SIGTERM');
  // Its output ends when all have ended that hold it.
  assert.deepEqual(await end(child), [null, 'SIGTERM']);
  const early = sh(spawner, 'sleep 600');
  early.signalGroup('SIGKILL');
  assert.deepEqual(await end(early), [null, 'SIGKILL']);
});

test('what cannot be started tells so, and the next child starts', async (t) => {
  const spawner = await spawnerOf(t);
  const child = sh(spawner, 'true', 3, '/no/such/folder');
  await assert.rejects(child.started, { code: 'ENOENT' });
  assert.equal(child.pid, undefined);
  const next = sh(spawner, 'true');
  assert.deepEqual(await end(next), [0, null]);
});

test('a pipe that cannot be made for want of file descriptors ends that child alone', async (t) => {
  let deaths = 0;
  const spawner = await Spawner.start(() => {
    deaths += 1;
  });
  t.after(() => spawner.stop());
  const lasting = sh(spawner, 'echo on; cat');
  await once(lasting.stdout, 'data');
  for (const which of [0, 1, 2]) {
    let made = 0;
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
      made += 1;
      if (made - 1 !== which) return Reflect.apply(connect, this, args);
      return this.destroy(Object.assign(new Error('connect EMFILE'), { code: 'EMFILE', syscall: 'connect' }));
    };
    const refused = sh(spawner, 'cat');
    Socket.prototype.connect = connect;
    const closed = end(refused);
    refused.stdin.end('for nobody');
    await assert.rejects(refused.started, isResourceExhaustion);
    await closed;
    assert.equal(refused.pid, undefined);
    const next = sh(spawner, 'cat');
    next.stdin.end('its own');
    assert.equal(await text(next.stdout), 'its own');
  }
  lasting.stdin.end('still there');
  assert.equal(await text(lasting.stdout), 'still there');
  assert.equal(deaths, 0);
});

test('a spawner without file descriptors refuses children, mixes none up, and goes on', {
  skip: spawnSync('prlimit', ['--version']).status !== 0 && 'there is no prlimit',
}, async (t) => {
  let deaths = 0;
  const spawner = await Spawner.start(() => {
    deaths += 1;
  });
  t.after(() => spawner.stop());
  const lasting = sh(spawner, 'echo on; cat');
  await once(lasting.stdout, 'data');
  const limit = (files: string) => spawnSync('prlimit', ['--pid', String(spawner.pid), `--nofile=${files}`]);
  const used = readdirSync(`/proc/${spawner.pid}/fd`).length;
  let refused = 0;
  for (let room = 0; room < 8; room += 1) {
    limit(`${used + room}:`);
    const all = Array.from({ length: 6 }, async (_, n) => {
      const child = sh(spawner, `echo ${n}`);
      // One that was not started breaks its streams off.
      const words = text(child.stdout).catch(() => null);
      try {
        await child.started;
        assert.equal(await words, `${n}\n`);
      } catch (error) {
        assert.ok(isResourceExhaustion(error), String(error));
        assert.ok(!(await words));
        refused += 1;
      }
    });
    await Promise.all(all);
  }
  assert.ok(refused > 0);
  limit('1024:');
  lasting.stdin.end('still there');
  assert.equal(await text(lasting.stdout), 'still there');
  const next = sh(spawner, 'echo on');
  assert.equal(await text(next.stdout), 'on\n');
  assert.equal(deaths, 0);
});

test('children end with a spawner that is killed, and nobody waits for them', async (t) => {
  let ended = false;
  const spawner = await Spawner.start(() => {
    ended = true;
  });
  t.after(() => spawner.stop());
  const child = sh(spawner, 'echo on; exec sleep 600');
  await once(child.stdout, 'data');
  const { pid } = child;
  // It may be asked for again.
  const read = assert.rejects(child.stdout.toArray(), { code: 'EAGAIN' });
  spawner.kill();
  assert.deepEqual(await end(child), [null, 'SIGKILL']);
  await read;
  assert.ok(ended && spawner.ended);
  const gone = () => {
    try {
      return process.kill(pid!, 0) && false;
    } catch {
      return true;
    }
  };
  for (let round = 0; round < 200 && !gone(); round += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(gone());
});

test('a spawner that died is replaced, and children start meanwhile', async () => {
  const deaths: number[] = [];
  const stop = startSpawner((pid) => deaths.push(pid));
  const other = (than: number | null) => async () => {
    for (let round = 0; round < 500 && (spawnerPid() ?? than) === than; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return spawnerPid();
  };
  const plan = { command: '/bin/sh', args: ['-c', 'echo on'], cwd: '/', env: {}, pipes: 3 };
  const outputOf = () => {
    const child = startChild(plan);
    child.on('error', () => {});
    return text(child.stdout!);
  };
  try {
    assert.equal(await outputOf(), 'on\n');
    const first = await other(null)();
    assert.ok(first !== null);
    assert.equal(await outputOf(), 'on\n');
    process.kill(first, 'SIGKILL');
    const second = await other(first)();
    assert.ok(second !== null && second !== first);
    assert.deepEqual(deaths, [first]);
    assert.equal(await outputOf(), 'on\n');
  } finally {
    stop();
  }
  assert.equal(spawnerPid(), null);
});

test('a spawner that gets no processor is waited for, one that never answers is ended', async (t) => {
  let deaths = 0;
  const spawner = await Spawner.start(() => {
    deaths += 1;
  });
  t.after(() => spawner.stop());
  process.kill(spawner.pid, 'SIGSTOP');
  const late = sh(spawner, 'cat');
  // This process was away for long as well: its clock says nothing.
  t.mock.method(performance, 'now', () => 1e9);
  for (let look = 0; look < 11; look += 1) spawner.poll();
  t.mock.restoreAll();
  process.kill(spawner.pid, 'SIGCONT');
  await late.started;
  late.stdin.end('still there');
  assert.equal(await text(late.stdout), 'still there');
  assert.equal(deaths, 0);
  process.kill(spawner.pid, 'SIGSTOP');
  const lost = sh(spawner, 'cat');
  for (let look = 0; look < 12; look += 1) spawner.poll();
  await assert.rejects(lost.started, { code: 'EAGAIN' });
  assert.equal(deaths, 1);
});
