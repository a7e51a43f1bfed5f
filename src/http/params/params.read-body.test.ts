import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { memoryBudget } from '../../core/memory-budget.ts';
import { parseJsonBody } from './json.ts';
import { readText, type TextKind } from './params.read-body.ts';
import { parseUrlencoded } from './rack.ts';
import { RequestBody, SpooledText } from './request-body.ts';

const folder = mkdtempSync(join(tmpdir(), 'read-body-'));
after(() => rm(folder, { recursive: true }));

const memory = memoryBudget(8 * 1024 * 1024);

/** Reads a body that arrives in chunks of a size, and returns texts in place of the files of long ones. */
async function read(text: string | Buffer, kind: TextKind, { step = 7_001, spoolTexts = true, limit = 1e9 } = {}) {
  const bytes = Buffer.from(text as string);
  const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
    bytes.subarray(index * step, (index + 1) * step),
  );
  const owner = new RequestBody(folder, (cost, signal) => memory.take('ann', { cost, signal }));
  const parse = kind === 'json' ? parseJsonBody : parseUrlencoded;
  try {
    const body = Readable.from(pieces);
    const value = await readText({ headers: {} } as never, body, kind, parse, { limit, owner, spoolTexts });
    return { value: plain(value), spooled: count(value), held: memory.heldBy('ann') };
  } finally {
    await owner.release();
  }
}

function plain(value: unknown): unknown {
  if (value instanceof SpooledText) return value.read();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function count(value: unknown): number {
  if (value instanceof SpooledText) return 1;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + count(item), 0);
}

/** Characters of one to four bytes, and everything that JSON escapes. */
const LONG = 'a"\\/\b\f\n\r\té€\u{1f600}\u0001'.repeat(2_500);

test('long texts of a large JSON body wait in a file, and come out as they were sent', async () => {
  const body = {
    branch: 'main',
    actions: [
      { action: 'create', content: LONG, empty: '' },
      { action: 'update', content: `${LONG}!`, last: 'short "and" \\ escaped' },
    ],
  };
  const ascii = JSON.stringify(body).replace(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2), ascii]) {
    for (const step of [1_000_003, 4_096, 997, 13]) {
      const { value, spooled } = await read(text, 'json', { step });
      assert.deepEqual(value, body, `${step} bytes at a time`);
      assert.equal(spooled, 2);
    }
  }
});

test('long values of a large form wait in a file, and come out as they were sent', async () => {
  const long = LONG.replace('\u0001', '');
  const form = new URLSearchParams([
    ['branch', 'main'],
    ['content', long],
    ['commit_message', 'a + b & c'],
  ]).toString();
  const percent = `branch=main&content=${encodeURIComponent(long)}&commit_message=a%20%2B%20b%20%26%20c`;
  for (const text of [form, percent]) {
    for (const step of [1_000_003, 997, 13]) {
      const { value, spooled } = await read(text, 'form', { step });
      assert.deepEqual(value, { branch: 'main', content: long, commit_message: 'a + b & c' });
      assert.equal(spooled, 1);
    }
  }
});

test('what is malformed within a long text is refused as it is within a short one', async () => {
  const long = 'x'.repeat(100_000);
  for (const broken of ['\\x', '\\u12', '\u0007', '\\ud800', '\\ud800\\u0041', '\\udc00']) {
    await assert.rejects(read(`{"a":"${long}${broken}${long}"}`, 'json'), { status: 400 }, broken);
  }
  await assert.rejects(read(`{"a":"${long}`, 'json'), { status: 400 });
  await assert.rejects(read(`{"a":"${long}" "b":1}`, 'json'), { status: 400 });
  await assert.rejects(
    read(Buffer.concat([Buffer.from(`{"a":"${long}`), Buffer.from([0xc3]), Buffer.from('"}')]), 'json'),
    {
      status: 400,
    },
  );
  for (const broken of ['%', '%4', '%zz', '%ff']) {
    await assert.rejects(read(`a=${long}${broken}`, 'form'), /./, broken);
  }
});

test('a marker of a client stands for itself', async () => {
  const body = { a: '~text-0~', long: 'y'.repeat(100_000), b: '~text-' };
  assert.deepEqual((await read(JSON.stringify(body), 'json')).value, body);
});

test('a large body holds memory by what stays of it, and gives it and its files back', async () => {
  const values = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => `item ${n}`) });
  const { held, spooled } = await read(values, 'json', { spoolTexts: false });
  assert.deepEqual([held, spooled], [values.length * 6, 0]);
  const large = await read(JSON.stringify({ text: 'z'.repeat(1_000_000) }), 'json');
  assert.ok(large.held < 1_000, `${large.held} bytes`);
  assert.equal(memory.held, 0);
  assert.deepEqual(await readdir(folder), []);
});

test('large bodies wait for room, each caller for its own share', async () => {
  const values = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => `item ${n}`) });
  const leave = await memory.take('ann', { cost: 4 * 1024 * 1024 });
  let done = false;
  const waiting = read(values, 'json', { spoolTexts: false }).then(() => {
    done = true;
  });
  while (memory.waiting === 0) await new Promise(setImmediate);
  assert.equal(done, false);
  (await memory.take('bob', { cost: 1024 * 1024 }))();
  leave();
  await waiting;
});

test('a body past its limit is refused, and leaves nothing behind', async () => {
  await assert.rejects(read('{"a":"'.padEnd(200_000, 'x'), 'json', { limit: 150_000 }), { status: 413 });
  assert.deepEqual(await readdir(folder), []);
});
