import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import type { Repository } from './git.repository.ts';
import { peel, resolveRevision } from './revision.ts';

async function oidOf(repo: Repository, text: string, prefer?: 'branch' | 'tag'): Promise<string | null> {
  return (await resolveRevision(repo, text, prefer === undefined ? {} : { prefer }))?.oid ?? null;
}

test('branches, tags, ids and HEAD, with what git gives for them', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const one = commit({ a: '1' });
  const two = commit({ a: '2' }, [one]);
  const merge = commit({ a: '3' }, [two, one]);
  for (const [ref, oid] of [
    ['refs/heads/main', merge],
    ['refs/heads/feature/x', two],
    ['refs/tags/light', one],
    ['refs/merge-requests/1/head', two],
    ['refs/keep-around/x', one],
    ['refs/stithy/secret', one],
  ] as const) {
    git(['update-ref', ref, oid]);
  }
  git(['tag', '-a', '-m', 'x', 'v1.0', two]);
  git(['tag', '-a', '-m', 'y', 'nested', 'v1.0']);
  const texts = ['main', 'feature/x', 'light', 'v1.0', 'nested', 'HEAD', 'heads/main', 'tags/v1.0', 'refs/heads/main'];
  const more = [
    'refs/tags/nested',
    'refs/merge-requests/1/head',
    'refs/keep-around/x',
    merge,
    two.slice(0, 8),
    one.slice(0, 4),
  ];
  const tagOid = git(['rev-parse', 'refs/tags/nested']);
  const walks = [
    'main~1',
    'main~',
    'main^',
    'main^2',
    'main^0',
    'main~2',
    'main^^',
    'main^1~1^0',
    `${merge}~2`,
    'HEAD^2',
  ];
  for (const text of [...texts, ...more, ...walks, tagOid, tagOid.slice(0, 9)]) {
    assert.equal(await oidOf(repo, text), git(['rev-parse', '--verify', `${text}^{commit}`]), text);
  }
  assert.deepEqual(await resolveRevision(repo, 'v1.0'), { oid: two, ref: 'refs/tags/v1.0' });
  assert.deepEqual(await resolveRevision(repo, 'HEAD'), { oid: merge, ref: 'refs/heads/main' });
  assert.deepEqual(await resolveRevision(repo, merge), { oid: merge, ref: null });
  assert.deepEqual(await resolveRevision(repo, 'main~1'), { oid: two, ref: null });
  assert.equal(await oidOf(repo, merge.toUpperCase()), merge);
  assert.equal(await peel(repo, tagOid), two);
});

test('nothing else of the language of revisions, and no option, means anything', async (t) => {
  const { repo, git, commit, dir } = gitFixture(t);
  const one = commit({ a: '1' });
  git(['update-ref', 'refs/heads/main', one]);
  git(['update-ref', 'refs/stithy/secret', one]);
  const tree = git(['rev-parse', `${one}^{tree}`]);
  git(['tag', 'of-tree', tree]);
  const texts = [
    '',
    '@',
    'main@{0}',
    '@{-1}',
    ':/commit',
    'main^{/commit}',
    'main^{commit}',
    'a..b',
    'main..',
    '^main',
  ];
  const options = [
    '--all',
    '-h',
    '--output=/tmp/x',
    '--help',
    '-',
    '~',
    '^',
    'main:',
    'main:a',
    'main\n',
    'main\0',
    ' main',
  ];
  const paths = [
    '../config',
    'refs/heads/../../config',
    'refs/stithy/secret',
    'refs/',
    'refs/heads/',
    'heads/',
    'config',
  ];
  const walks = ['main~1', 'main^1', 'main^2', 'main~99999', 'main~-1', 'main^x', `main${'~1000'.repeat(200)}`];
  const oids = [tree, tree.slice(0, 8), '1'.repeat(40), '1'.repeat(64), one.slice(0, 3), `${one}0`, 'x'.repeat(5_000)];
  for (const text of [...texts, ...options, ...paths, ...walks, ...oids, 'of-tree', 'none', `${dir}/HEAD`]) {
    assert.equal(await oidOf(repo, text), null, JSON.stringify(text));
  }
});

test('a branch wins over a tag of its name, unless the tag is preferred', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  git(['update-ref', 'refs/heads/v1', one]);
  git(['update-ref', 'refs/tags/v1', two]);
  git(['update-ref', 'refs/tags/only-tag', two]);
  assert.equal(await oidOf(repo, 'v1'), one);
  assert.equal(await oidOf(repo, 'v1', 'tag'), two);
  assert.equal(await oidOf(repo, 'tags/v1'), two);
  assert.equal(await oidOf(repo, 'only-tag'), two);
});

test('a name made of hexadecimal digits is the reference, a complete id is always the commit', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const [one, two] = [commit({ a: '1' }), commit({ a: '2' })];
  git(['update-ref', `refs/heads/${one.slice(0, 8)}`, two]);
  git(['update-ref', `refs/tags/${one}`, two]);
  git(['update-ref', `refs/remotes/${one.slice(0, 6)}/HEAD`, two]);
  assert.equal(await oidOf(repo, one.slice(0, 8)), two);
  assert.equal(await oidOf(repo, one), one);
  assert.equal(await oidOf(repo, one.slice(0, 7)), one);
  assert.equal(await oidOf(repo, one.slice(0, 6)), one);
});

test('a shortened id that two commits share is nothing', async (t) => {
  const { repo, git, commit } = gitFixture(t);
  const tree = git(['rev-parse', `${commit({ a: '1' })}^{tree}`]);
  const seen = new Map<string, string>();
  let shared: string | undefined;
  for (let i = 0; shared === undefined; i += 1) {
    const oid = git(['commit-tree', tree], `message ${i}`);
    const short = oid.slice(0, 4);
    if (seen.has(short)) shared = short;
    seen.set(short, oid);
    assert.ok(i < 2_000);
  }
  assert.equal(await oidOf(repo, shared), null);
});

test('HEAD of an empty repository is nothing', async (t) => {
  assert.equal(await oidOf(gitFixture(t).repo, 'HEAD'), null);
});
