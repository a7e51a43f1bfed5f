import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { type BlameRange, blame, type LineRange } from './git.blame.ts';

let git: GitRepository;
let commits: string[];
const paths = ['file', 'renamed', 'crlf', 'no newline', '-dash', 'new\nline', 'tabs'];

before(() => {
  git = new GitRepository();
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const write = () => git.write('file', `${lines.join('\n')}\n`);
  write();
  git.write('original', 'a\nb\nc\nd\ne\nf\n');
  git.write('crlf', 'one\r\ntwo\r\n');
  git.write('-dash', 'x\n');
  git.write('new\nline', 'x\n');
  git.write('tabs', '\tindented\n\t\ttwice\n\n');
  git.commit('root');
  git.git('checkout', '--quiet', '-b', 'side');
  lines[5] = 'side';
  write();
  git.commit('side');
  git.git('checkout', '--quiet', 'main');
  lines[5] = 'line 5';
  for (let index = 0; index < 12; index += 1) {
    lines[(index * 7) % 40] = index === 10 ? 'line 5' : `changed ${index}`;
    if (index !== 5 && lines[5] !== 'line 5') lines[5] = 'line 5';
    write();
    if (index === 2) git.git('mv', 'original', 'renamed');
    if (index === 4) git.write('renamed', 'a\nB\nc\nd\ne\nf\n');
    if (index === 6) git.write('crlf', 'one\r\nzwei\r\n');
    if (index === 8) git.write('no newline', 'end');
    git.commit(`change ${index}\n\nwith a body`);
  }
  git.merge('side', '-X', 'ours');
  git.write('unrelated', 'x');
  git.commit('unrelated');
  commits = git.lines('rev-list', '--topo-order', 'main');
});
after(() => git.close());

/** Git's blame, a pair of id and line for each line. */
function expected(commit: string, path: string, range?: LineRange): [string, string][] {
  const lines = range === undefined ? [] : ['-L', `${range.start},${range.end}`];
  const output = git.git('blame', '--line-porcelain', ...lines, commit, '--', path);
  const result: [string, string][] = [];
  let oid = '';
  for (const line of output.split('\n')) {
    if (line.startsWith('\t')) {
      result.push([oid, line.slice(1)]);
      oid = '';
    } else if (oid === '') oid = line.slice(0, 40);
  }
  return result;
}

function flat(ranges: readonly BlameRange[]): [string, string][] {
  return ranges.flatMap(({ oid, lines }) => lines.map((line): [string, string] => [oid, line]));
}

test('agrees with git for every file and commit, whatever is kept already', async () => {
  for (const [name, order] of [
    ['newest first', commits],
    ['oldest first', commits.toReversed()],
  ] as const) {
    const repo = git.fresh(name);
    for (const commit of order) {
      const files = git.bytes(['ls-tree', '-r', '-z', '--name-only', commit]).toString('utf8').split('\0');
      for (const path of paths.filter((item) => files.includes(item))) {
        const { ranges, commits: blamedCommits } = await blame(repo, commit, path);
        assert.deepEqual(flat(ranges), expected(commit, path), `${path} at ${commit}`);
        assert.deepEqual([...blamedCommits.keys()].sort(), [...new Set(ranges.map(({ oid }) => oid))].sort());
        for (const [index, range] of ranges.entries()) assert.notEqual(range.oid, ranges[index + 1]?.oid);
      }
    }
  }
});

test('the commits come with their data', async () => {
  const { ranges, commits: blamedCommits } = await blame(git.repo, commits[0]!, 'file');
  const commit = blamedCommits.get(ranges[0]!.oid);
  assert.equal(commit?.message, git.git('log', '-1', '--format=%B', ranges[0]!.oid));
  assert.equal(commit?.author.email, 'ada@example.com');
});

test('ranges of lines', async () => {
  const head = commits[0]!;
  for (const range of [
    { start: 1, end: 1 },
    { start: 3, end: 17 },
    { start: 40, end: 99_999_999_999 },
  ]) {
    const { ranges } = await blame(git.repo, head, 'file', range);
    assert.deepEqual(flat(ranges), expected(head, 'file', { start: range.start, end: Math.min(range.end, 40) }));
  }
  assert.deepEqual((await blame(git.repo, head, 'file', { start: 41, end: 50 })).ranges, []);
  assert.deepEqual((await blame(git.repo, head, 'file', { start: 1e12, end: 1e12 })).ranges, []);
  for (const range of [
    { start: 0, end: 1 },
    { start: 2, end: 1 },
    { start: 1.5, end: 2 },
    { start: Number.NaN, end: 2 },
  ]) {
    await assert.rejects(blame(git.repo, head, 'file', range), { code: 'invalid' });
  }
});

test('a push that leaves the file as it is keeps the result', async () => {
  const before = await blame(git.repo, commits[0]!, 'file');
  git.write('unrelated', 'more');
  const { ranges } = await blame(git.repo, git.commit('more'), 'file');
  assert.equal(ranges, before.ranges);
});

test('lines that are no UTF-8, binary and empty files', async () => {
  git.write('latin1', Buffer.from('gr\xfc\xdfe\nok\n', 'latin1'));
  git.write('binary', Buffer.from([0, 1, 10, 2, 255]));
  git.write('empty', '');
  const oid = git.commit('bytes');
  assert.deepEqual((await blame(git.repo, oid, 'latin1')).ranges, [{ oid, lines: ['grüße', 'ok'] }]);
  assert.deepEqual((await blame(git.repo, oid, 'binary')).ranges, [{ oid, lines: ['\0\x01', '\x02\ufffd'] }]);
  assert.deepEqual((await blame(git.repo, oid, 'empty')).ranges, []);
  assert.deepEqual((await blame(git.repo, oid, 'empty', { start: 1, end: 2 })).ranges, []);
});

test('a path that is no file there is not found', async () => {
  for (const path of ['none', '../file', '', '-L1,2', 'file/x', '/etc/passwd', './file']) {
    await assert.rejects(blame(git.repo, commits[0]!, path), { code: 'not_found' }, path);
  }
  await assert.rejects(blame(git.repo, '--contents=/etc/passwd', 'file'), { code: 'invalid' });
  await assert.rejects(blame(git.repo, 'a'.repeat(40), 'file'), { code: 'failed' });
});
