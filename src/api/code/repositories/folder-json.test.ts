import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TreeObject } from '../../../git/objects/index.ts';
import { folderJson } from './folder-json.ts';
import { presentEntry } from './repositories.entry-views.ts';

const MODES = ['100644', '100755', '120000', '40000', '040000', '160000', '100664'];
const NAMES = [
  'a',
  'README.md',
  'sp ace',
  'quote"d',
  'back\\slash',
  'tab\t',
  'del\x7f',
  'ü',
  '\u{1f600}',
  '\x01',
  "it's",
];

function entry(mode: string, name: Buffer, hashBytes: number): Buffer {
  const id = Buffer.from(Array.from({ length: hashBytes }, (_, n) => (n * 37 + name.length) % 256));
  return Buffer.concat([Buffer.from(`${mode} `), name, Buffer.of(0), id]);
}

function treeOf(entries: readonly Buffer[], hashBytes: number): { tree: TreeObject; places: number[] } {
  let at = 0;
  const places = entries.map(({ length }) => {
    at += length;
    return at - length;
  });
  return { tree: new TreeObject('0'.repeat(2 * hashBytes), Buffer.concat(entries)), places };
}

for (const hashBytes of [20, 32]) {
  test(`entries are written as they are presented, ids of ${hashBytes} bytes`, () => {
    const names = [...NAMES.map((name) => Buffer.from(name)), Buffer.from('no \xfcnicode', 'latin1')];
    const entries = MODES.flatMap((mode) => names.map((name) => entry(mode, name, hashBytes)));
    const { tree, places } = treeOf(entries, hashBytes);
    for (const prefix of ['', 'a/b/', 'q"ü\\/', 'lone\udc80/']) {
      const presented = places.map((place) => {
        const one = tree.entryFrom(place);
        return presentEntry({ ...one, path: one.name }, prefix);
      });
      const json = folderJson(tree, places, prefix);
      assert.equal(json.toString(), JSON.stringify(presented));
      assert.equal(json.buffer.byteLength, json.length);
    }
    assert.equal(folderJson(tree, [], '').toString(), '[]');
  });
}

test('long folders and names have room', () => {
  const entries = Array.from({ length: 3_000 }, (_, n) =>
    entry('100644', Buffer.from(`${n}"`.repeat(1 + (n % 60))), 20),
  );
  const { tree, places } = treeOf(entries, 20);
  const names = JSON.parse(folderJson(tree, places, 'f/').toString()).map(({ path }: { path: string }) => path);
  assert.deepEqual(
    names,
    places.map((place) => `f/${tree.entryFrom(place).name}`),
  );
});
