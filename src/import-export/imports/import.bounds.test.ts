import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { paxAttribute, tarEntry } from '../../../test/support/tar.ts';
import { SOURCE_USER_STATUS } from '../../db/tables/import-source-users.table.ts';
import { type ImportedObject, InvalidImportObject } from './coerce-import.ts';
import { gunzipLimited, InvalidImportFile, parseObjects } from './import.lines.ts';
import { contentOf, tarFiles } from './import.tar.ts';
import { ImportedUsers, userIdsIn } from './imported-users.ts';

const MIB = 1024 * 1024;
const ofBytes = (...parts: Buffer[]) => Readable.from(parts) as AsyncIterable<Buffer>;

/** What lines become: objects, or why they do not. */
async function read(...lines: (string | Buffer)[]): Promise<(ImportedObject | string)[]> {
  const objects: (ImportedObject | string)[] = [];
  for await (const each of parseObjects(
    ofBytes(Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]))),
  ))
    objects.push(each instanceof InvalidImportObject ? each.message : each);
  return objects;
}

describe('a line', () => {
  test('that is deeper than anything looks through fails by itself, and the next is read', async () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const objects = await read(deep(50), deep(200_000), `{"a":"${'['.repeat(100_000)}"}`, '{"b":1}');
    assert.deepEqual(
      objects.map((each) => (typeof each === 'string' ? each : Object.keys(each))),
      [['a'], 'the object is more than 100 levels deep', ['a'], ['b']],
    );
    assert.deepEqual([...userIdsIn(objects[0])], []);
  });

  test('of more values than fit into memory fails by itself; texts do not count', async () => {
    const many = (count: number) => `{"notes":[${Array.from({ length: count }, () => '{}').join(',')}]}`;
    const commas = `{"a":"${'\\",{'.repeat(200_000)}","b":"\\\\","c":[1,2]}`;
    const objects = await read(many(1_000), many(300_000), commas);
    assert.deepEqual(
      objects.map((each) => (typeof each === 'string' ? each : Object.keys(each))),
      [['notes'], 'the object has more than 500000 values', ['a', 'b', 'c']],
    );
  });

  test('longer than 32 MiB fails by itself, whatever is in it', async () => {
    const objects = await read(Buffer.alloc(33 * MIB, 0x20), '{"b":1}');
    assert.deepEqual(objects, ['the object is longer than 32 MiB', { b: 1 }]);
  });
});

describe('a tar', () => {
  const namesIn = async (...parts: Buffer[]) => {
    const names: string[] = [];
    for await (const { name, entry } of tarFiles(ofBytes(...parts, Buffer.alloc(1_024)))) {
      names.push(name);
      entry.resume();
    }
    return names;
  };

  test('whose headers would fill the memory is refused before they are read', async () => {
    const file = tarEntry('a', 'a');
    assert.deepEqual(await namesIn(paxAttribute('comment', 'x'), file), ['a']);
    const parts = Buffer.concat([tarEntry('x', Buffer.alloc(4 * MIB), { type: 'x' }), file]);
    const chunks = Array.from({ length: Math.ceil(parts.length / 65_536) }, (_, n) =>
      parts.subarray(n * 65_536, (n + 1) * 65_536),
    );
    await assert.rejects(namesIn(...chunks), InvalidImportFile);
    for (const size of ['-512', '9007199254740993']) {
      await assert.rejects(namesIn(paxAttribute('size', size), file), InvalidImportFile, size);
    }
  });

  test('gives plain files alone, and ends where it is cut off', async () => {
    const link = tarEntry('b', '/etc/passwd', { type: '2' });
    const [hard, device, folder] = [
      tarEntry('c', '', { type: '1' }),
      tarEntry('d', '', { type: '3' }),
      tarEntry('e/', '', { type: '5' }),
    ];
    assert.deepEqual(await namesIn(link, hard, device, folder, tarEntry('./f', 'f')), ['f']);
    await assert.rejects(
      async () => {
        for await (const { entry } of tarFiles(ofBytes(tarEntry('a', 'x'.repeat(2_000)).subarray(0, 900))))
          entry.resume();
      },
      (error: Error) => error instanceof InvalidImportFile || /Premature|aborted/i.test(error.message),
    );
  });
});

test('an archive that ends in the middle of a file is told to be none', async () => {
  await assert.rejects(async () => {
    for await (const { entry } of tarFiles(ofBytes(tarEntry('a', 'x'.repeat(2_000)).subarray(0, 900)))) {
      await buffer(contentOf(entry));
    }
  }, InvalidImportFile);
});

test('gzip that unpacks to more than is allowed stops there', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * MIB));
  let bytes = 0;
  await assert.rejects(async () => {
    for await (const chunk of gunzipLimited(Readable.from([bomb]), { maxBytes: bomb.length, maxUnpacked: MIB }))
      bytes += chunk.length;
  }, InvalidImportFile);
  assert.ok(bytes <= MIB);
});

describe('people', () => {
  let app: TestApp;
  before(async () => {
    app = await buildTestApp();
  });
  after(() => app.close());

  test('get so many placeholders below one group; one user stands for all others', async () => {
    const { id: namespaceId } = await app.make.group();
    const origin = {
      namespaceId,
      hostname: 'far.example.org',
      importType: 'gitlab_migration',
      importerId: 1,
      maxPlaceholders: 3,
    } as const;
    const users = new ImportedUsers(app.deps, origin);
    await users.ensure([11, 12, 13, 14, 15]);
    const all = [11, 12, 13, 14, 15].map((id) => users.of(id));
    assert.equal(new Set(all).size, 4);
    assert.equal(all[3], all[4]);
    const again = new ImportedUsers(app.deps, origin);
    await again.ensure([15, 11, 16]);
    assert.deepEqual([again.of(15), again.of(11), again.of(16)], [all[4], all[0], all[4]]);
    const rows = await app.deps.db
      .selectFrom('import_source_users')
      .select(['source_user_identifier', 'status'])
      .where('namespace_id', '=', namespaceId)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      rows.map(({ source_user_identifier, status }) => [source_user_identifier, status]),
      [
        ...['11', '12', '13'].map((id) => [id, SOURCE_USER_STATUS.pending_reassignment]),
        ['import_user', SOURCE_USER_STATUS.keep_as_placeholder],
      ],
    );
  });
});
