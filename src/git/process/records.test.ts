import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { readRecords } from './records.ts';

let git: GitRepository;
let oid: string;
before(() => {
  git = new GitRepository();
  const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index}`).join('\n');
  oid = git
    .bytes(['hash-object', '-w', '--stdin'], { input: `${lines}\n${'x'.repeat(300_000)}\n\nend` })
    .toString()
    .trim();
});
after(() => git.close());

test('hands over every record, whatever the chunks', async () => {
  const records: string[] = [];
  await readRecords(['cat-file', 'blob', oid], { gitDir: git.repo.dir }, (record) => records.push(record.toString()));
  assert.equal(records.length, 30_003);
  assert.equal(records[12_345], 'line 12345');
  assert.deepEqual(records.slice(-3), ['x'.repeat(300_000), '', 'end']);
});

test('cuts long records and says how long they were', async () => {
  let longest = [0, 0];
  await readRecords(['cat-file', 'blob', oid], { gitDir: git.repo.dir, maxRecord: 10 }, (record, length) => {
    assert.ok(record.length <= 10);
    if (length > longest[1]!) longest = [record.length, length];
  });
  assert.deepEqual(longest, [10, 300_000]);
});

test('stops early when told to', async () => {
  let count = 0;
  await readRecords(['cat-file', 'blob', oid], { gitDir: git.repo.dir }, () => {
    count += 1;
    return count < 5;
  });
  assert.equal(count, 5);
});

test('fails as the command does', async () => {
  const options = { gitDir: git.repo.dir };
  await assert.rejects(
    readRecords(['cat-file', 'blob', 'nope'], options, () => true),
    { code: 'failed', exitCode: 128 },
  );
  await assert.rejects(
    readRecords(['cat-file', 'blob', oid], { ...options, maxOutput: 1_000 }, () => true),
    {
      code: 'output_too_large',
    },
  );
  await assert.rejects(readRecords(['cat-file', '--batch'], { ...options, signal: AbortSignal.abort() }, () => true));
  const broken = readRecords(['cat-file', 'blob', oid], options, () => {
    throw new Error('reader');
  });
  await assert.rejects(broken, /reader/);
});
