import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBytes, GitError } from '../common/index.ts';
import { encodeEntry, encodeTree } from './object-encode.ts';
import { parseTree } from './tree-entries.ts';
import { TreeObject } from './tree-object.ts';

const OID = 'a'.repeat(40);
const entry = (mode: string, name: Buffer | string, id: Buffer) =>
  Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.of(0), id]);
const id = (fill: string | number) => Buffer.alloc(20, fill);

test('an entry is found by its name as it is among all of them, and in its place', () => {
  const names = fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes.map((n) => n || 1)));
  const modes = fc.constantFrom('100644', '100755', '100664', '120000', '160000', '40000');
  const ids = fc.uint8Array({ minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(modes, names, ids), { selector: ([, name]) => name.toString('hex') }),
      (all) => {
        const data = Buffer.concat(all.map(([mode, name, bytes]) => entry(mode, name, Buffer.from(bytes))));
        const entries = parseTree(OID, data);
        assert.equal(entries.length, all.length);
        const tree = new TreeObject(OID, data);
        for (const [n, one] of entries.entries()) {
          assert.equal(one.name, decodeBytes(all[n]![1]));
          assert.deepEqual(tree.find(one.name), one);
        }
        const { folders, files, submodules, count } = tree.positions();
        assert.equal(count, entries.length);
        const few = { folders: folders.slice(0, 2), files: files.slice(0, 2), submodules: submodules.slice(0, 2) };
        assert.deepEqual(tree.positions(2), { ...few, count });
        for (const [type, places] of Object.entries({ tree: folders, blob: files, commit: submodules })) {
          assert.deepEqual(
            places.map((place) => tree.entryFrom(place)),
            entries.filter((one) => one.type === type),
          );
        }
        assert.equal(tree.find('no such name'), null);
        assert.deepEqual(tree.entries, entries);
        for (const one of entries) assert.deepEqual(tree.find(one.name), one);
      },
    ),
  );
});

test('neither parts of names nor the bytes of ids are taken for names', () => {
  const data = Buffer.concat([
    entry('40000', 'a b', id(' b\0')),
    entry('100644', 'b', id('4')),
    entry('40000', 'c', id(1)),
  ]);
  const tree = new TreeObject(OID, data);
  assert.equal(tree.find('b')?.oid, id('4').toString('hex'));
  assert.deepEqual(tree.find('c'), { mode: '040000', name: 'c', oid: id(1).toString('hex'), type: 'tree' });
  for (const name of ['', ' b', 'a', 'b\0', '40000 a b']) assert.equal(tree.find(name), null, name);
});

test('what looks like an entry in a name or in the id of a submodule is none', () => {
  const named = new TreeObject(OID, entry('100644', '100644 b', id(1)));
  assert.equal(named.find('b'), null);
  assert.equal(named.find('100644 b')?.oid, id(1).toString('hex'));
  const linked = new TreeObject(OID, entry('160000', 'a', id('40000 b\0')));
  assert.equal(linked.find('b'), null);
  const both = new TreeObject(OID, Buffer.concat([entry('160000', 'a', id('100644 y')), entry('100644', 'b', id(3))]));
  assert.equal(both.find('y100644 b'), null);
  assert.equal(both.find('b')?.oid, id(3).toString('hex'));
});

test('whatever names and ids are, an entry is found as it is among all of them', () => {
  const bytes = Buffer.from('\0\0  1004612b');
  const chosen = (length: { minLength: number; maxLength: number }) =>
    fc.array(fc.constantFrom(...bytes), length).map((list) => Buffer.from(list));
  const modes = fc.constantFrom('100644', '100755', '160000', '40000', '040000');
  const parts = fc.array(fc.constantFrom('100644 ', '40000 ', '040000 ', 'b', '1', ' '), {
    minLength: 1,
    maxLength: 5,
  });
  const names = parts.map((list) => list.join(''));
  const ids = fc.oneof(
    chosen({ minLength: 20, maxLength: 20 }),
    names.chain((name) =>
      fc.nat(12).map((at) => Buffer.concat([Buffer.alloc(at), Buffer.from(`${name}\0`), Buffer.alloc(20)], 20)),
    ),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(modes, names, ids), { selector: ([, name]) => name }), names, (all, other) => {
      const data = Buffer.concat(all.map(([mode, name, bytes]) => entry(mode, name, bytes)));
      const entries = parseTree(OID, data);
      for (const name of [...all.map(([, one]) => one), other, 'b']) {
        const expected = entries.find((one) => one.name === name) ?? null;
        assert.deepEqual(new TreeObject(OID, data).find(name), expected);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('an id that ends in a digit makes no other mode of the one after it', () => {
  for (const digit of '01234567') {
    const data = Buffer.concat([
      entry('100644', 'a', id(digit)),
      entry('40000', 'b', id(1)),
      entry('100755', 'c', id(2)),
    ]);
    const tree = new TreeObject(OID, data);
    for (const one of tree.positions().folders) assert.equal(tree.entryFrom(one).name, 'b');
    assert.equal(tree.find('b')?.mode, '040000');
    assert.equal(tree.find('c')?.mode, '100755');
  }
});

test('a tree that is cut short is damaged', () => {
  const whole = entry('100644', 'name', id(7));
  for (let length = 1; length < whole.length; length += 1) {
    const tree = new TreeObject(OID, whole.subarray(0, length));
    const isDamage = (error: unknown) => error instanceof GitError && error.code === 'corrupt';
    assert.throws(() => tree.entries, isDamage);
    assert.throws(() => tree.positions(), isDamage);
    if (length > 11) assert.throws(() => tree.find('name'), isDamage);
  }
});

test('trees differ in the same entries, and are edited to the same bytes, as if they were taken apart and encoded anew', () => {
  const names = fc.constantFrom('a', 'b', 'a.b', 'a-b', 'ab', 'é', 'z', 'aa', '0');
  const modes = fc.constantFrom('100644', '100755', '120000', '160000', '040000');
  const oids = fc.constantFrom(...['1', '2', '3'].map((digit) => digit.repeat(40)));
  const entries = fc.uniqueArray(fc.record({ name: names, mode: modes, oid: oids }), { selector: ({ name }) => name });
  const treeOf = (all: Parameters<typeof encodeTree>[0]) => new TreeObject(OID, encodeTree(all));
  const describeEntry = (one: { name: string; mode: string; oid: string }) => `${one.name} ${one.mode} ${one.oid}`;
  fc.assert(
    fc.property(entries, entries, (before, after) => {
      const [one, two] = [treeOf(before), treeOf(after)];
      const [old, now] = [before.map(describeEntry), after.map(describeEntry)];
      const { here, there } = one.differences(two);
      assert.deepEqual(here.map(describeEntry).sort(), old.filter((text) => !now.includes(text)).sort());
      assert.deepEqual(there.map(describeEntry).sort(), now.filter((text) => !old.includes(text)).sort());
      assert.equal(one.count, before.length);
      const changes = new Map<string, Buffer | null>(before.map(({ name }) => [name, null]));
      for (const each of after) changes.set(each.name, encodeEntry(each));
      for (const [name, bytes] of changes) {
        const same = bytes !== null && old.includes(describeEntry(after.find((each) => each.name === name)!));
        if (same) changes.delete(name);
      }
      assert.deepEqual(one.edited(changes), two.content);
    }),
  );
});

test('long trees differ where one entry of theirs does, and are edited there', () => {
  const all = Array.from({ length: 300 }, (_, n) => ({
    name: `n${1_000 + n}`,
    mode: '100644',
    oid: n.toString(16).padStart(40, '0'),
  }));
  const whole = new TreeObject(OID, encodeTree(all));
  const other = 'f'.repeat(40);
  for (const at of [0, 1, 40, 150, 298, 299]) {
    const entry = all[at]!;
    const without = new TreeObject(OID, encodeTree(all.toSpliced(at, 1)));
    const changed = new TreeObject(OID, encodeTree(all.with(at, { ...entry, oid: other })));
    const names = ({ here, there }: ReturnType<TreeObject['differences']>) =>
      [here, there].map((entries) => entries.map(({ name, oid }) => `${name} ${oid}`));
    assert.deepEqual(names(whole.differences(without)), [[`${entry.name} ${entry.oid}`], []]);
    assert.deepEqual(names(without.differences(whole)), [[], [`${entry.name} ${entry.oid}`]]);
    assert.deepEqual(names(whole.differences(changed)), [[`${entry.name} ${entry.oid}`], [`${entry.name} ${other}`]]);
    assert.deepEqual(whole.edited(new Map([[entry.name, null]])), without.content);
    assert.deepEqual(without.edited(new Map([[entry.name, encodeEntry(entry)]])), whole.content);
    const put = encodeEntry({ ...entry, oid: other });
    assert.deepEqual(whole.edited(new Map([[entry.name, put]])), changed.content);
  }
  assert.deepEqual(whole.differences(whole), { here: [], there: [] });
});

test('what only looks like a name in a tree is left alone when it goes', () => {
  // The id of the first holds what the second is found by.
  const hidden = Buffer.from(' b\0'.padEnd(20, 'x'));
  const tricky = Buffer.concat([Buffer.from('100644 a\0'), hidden, entry('100644', 'a b', id(1))]);
  const tree = new TreeObject(OID, Buffer.concat([tricky, entry('100644', 'b', id(2))]));
  assert.deepEqual(tree.edited(new Map([['b', null]])), tricky);
  const many = Buffer.concat(Array.from({ length: 200_000 }, (_, n) => entry('100644', `${1_000_000 + n} b`, id(1))));
  const long = new TreeObject(OID, Buffer.concat([many, entry('100644', 'b', id(2))]));
  assert.ok(long.edited(new Map([['b', null]])).equals(many));
});

test('what stays in a tree that is edited is taken over as it is', () => {
  const odd = Buffer.concat([entry('100664', 'b', id(1)), entry('040000', 'a', id(2)), entry('100644', 'c', id(3))]);
  const added = encodeEntry({ mode: '100644', name: 'd', oid: OID });
  assert.deepEqual(new TreeObject(OID, odd).edited(new Map([['d', added]])), Buffer.concat([odd, added]));
  const cut = new TreeObject(OID, odd.subarray(0, -1));
  assert.throws(() => cut.edited(new Map()), GitError);
  assert.throws(() => cut.differences(new TreeObject('', Buffer.alloc(0))), GitError);
});
