import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GitRepository } from '../../test/support/git-repository.ts';
import { blame } from './blame.ts';
import { diffTrees } from './diff.ts';
import { TextDecoding } from './text-encoding.ts';

const GERMAN = 'Die Größe der Häuser wäre schön für alle\nUnd die Straße führt über die Brücke\n';
const latin1 = Buffer.from(GERMAN, 'latin1');
/** こんにちは世界 and a sentence, in Shift-JIS. */
const shiftJis = Buffer.from('82b182f182c982bf82cd90a28a450a93fa967b8cea82cc835483938376838b82c582b70a', 'hex');
const JAPANESE = ['こんにちは世界', '日本語のサンプルです'];
const utf16 = Buffer.from('\ufeffeins\nzwei ü\n', 'utf16le');

test('diffs and blame show text in other encodings, whoever compares', async (t) => {
  const git = new GitRepository();
  t.after(() => git.close());
  const { repo } = git;
  const commit = (files: Record<string, string | Buffer>) => {
    for (const [path, content] of Object.entries(files)) git.write(path, content);
    git.commit('next');
    return git.oid('HEAD');
  };
  const root = commit({ a: 'x\n' });
  const latin = commit({ latin: latin1, jis: shiftJis, wide: utf16, bin: Buffer.from([0, 1, 0xff]) });
  const converted = commit({ latin: `${GERMAN}mehr\n` });
  for (const onlyGit of [false, true]) {
    const diff = async (from: string, to: string) => {
      const { files } = await diffTrees(repo, from, to, { onlyGit, maxLines: onlyGit ? 40_000 : 40_001 });
      return new Map(files.map((file) => [file.newPath, file]));
    };
    const added = await diff(root, latin);
    const lines = GERMAN.trim().split('\n');
    assert.equal(added.get('latin')!.diff, `@@ -0,0 +1,2 @@\n${lines.map((line) => `+${line}\n`).join('')}`);
    assert.equal(added.get('jis')!.diff, `@@ -0,0 +1,2 @@\n${JAPANESE.map((line) => `+${line}\n`).join('')}`);
    assert.deepEqual([added.get('wide')!.binary, added.get('bin')!.binary], [true, true]);
    const changed = (await diff(latin, converted)).get('latin')!.diff;
    const sides = [...lines.map((line) => `-${line}\n`), ...lines.map((line) => `+${line}\n`), '+mehr\n'];
    assert.equal(changed, `@@ -1,2 +1,3 @@\n${sides.join('')}`);
  }
  const text = async (path: string) => (await blame(repo, latin, path)).ranges.flatMap((range) => range.lines);
  assert.deepEqual(await text('latin'), GERMAN.trim().split('\n'));
  assert.deepEqual(await text('jis'), JAPANESE);
  assert.deepEqual(
    (await text('wide')).slice(0, 2).map((line) => line.replace('\ufeff', '')),
    ['eins', 'zwei ü'],
  );
});

test('no bytes are refused, and every line stays one', async () => {
  let seed = 5;
  const byte = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 256;
  };
  const decoding = new TextDecoding();
  for (let round = 0; round < 200; round += 1) {
    const bytes = Buffer.from(Array.from({ length: 1 + (round % 90) }, byte).map((each) => (each === 10 ? 255 : each)));
    const patch = Buffer.concat([Buffer.from('@@ -1 +1,2 @@\n-'), bytes, Buffer.from('\n+'), bytes, Buffer.from('\n')]);
    assert.equal((await decoding.patch(patch)).split('\n').length, 4);
    assert.equal((await new TextDecoding().lines([bytes, bytes])).length, 2);
  }
});

test('what cannot be told has replacement characters', async () => {
  assert.equal(await new TextDecoding().patch(Buffer.from('+gr\xfc\xdfe\n', 'latin1')), '+gr\ufffd\ufffde\n');
});
