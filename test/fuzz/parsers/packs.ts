import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitError, type ObjectType } from '../../../src/git/common/index.ts';
import { extractSignature } from '../../../src/git/history/index.ts';
import { parseTag } from '../../../src/git/objects/git.objects.ts';
import { hashObject, parseCommit } from '../../../src/git/objects/index.ts';
import { applyDelta, resultSize } from '../../../src/git/objects/packs/delta.ts';
import { parseTree } from '../../../src/git/objects/tree-entries.ts';
import { type Repository, RepositoryPool } from '../../../src/git/repository/index.ts';
import type { Random } from '../../crash/random.ts';
import type { CorpusInput, Fuzzer, Subject } from './fuzzer.ts';
import { mutated } from './mutate.ts';

const MAX_BYTES = 1024 * 1024;
const ID = 'a'.repeat(40);

/** The files of a repository below `objects`, as a kept input has them; and what its objects are called. */
interface Files {
  files: Record<string, string>;
  ids: string[];
}

/** Such a repository on the disk; its files are as in `sound` but for the one that a case damages. */
interface Layout {
  dir: string;
  ids: readonly string[];
  sound: ReadonlyMap<string, Buffer>;
}

const damaged = (error: unknown): boolean => error instanceof GitError && ['corrupt', 'not_found'].includes(error.code);

async function orDamaged<T>(work: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!damaged(error)) throw error;
    return undefined;
  }
}

/** What is read is what its id says, or there is nothing. */
async function readAll(repository: Repository, ids: readonly string[]): Promise<number> {
  let count = 0;
  for (const oid of ids) {
    await orDamaged(() => repository.objects.info(oid));
    const object = await orDamaged(() => repository.objects.read(oid, MAX_BYTES));
    if (object?.data) {
      assert.equal(hashObject(object.type as ObjectType, object.data), oid, 'another content than its id says');
      count += 1;
    }
    await orDamaged(async () => {
      for await (const chunk of repository.objects.stream(oid)) assert.ok((chunk as Buffer).length <= MAX_BYTES);
    });
  }
  return count;
}

/** Content of an object of any kind. */
async function parse(bytes: Buffer): Promise<void> {
  for (const read of [parseCommit, parseTag, parseTree]) await orDamaged(() => read(ID, bytes));
  extractSignature(bytes);
}

function delta(random: Random): void {
  const base = Buffer.alloc(random.below(300), 'base ');
  const copy = [0x80 | random.below(128), random.below(256), random.below(8), random.below(4)];
  const right = Buffer.from([base.length & 0x7f, 20, 0x91, 0, 10, 10, ...Buffer.alloc(10), ...copy]);
  const bytes = mutated(right, random);
  try {
    resultSize(bytes);
    const result = applyDelta(base, bytes, MAX_BYTES);
    assert.ok(result.length <= MAX_BYTES);
  } catch (error) {
    if (!damaged(error)) throw error;
  }
}

/** Packs, their indexes, loose objects, deltas, and what objects hold. */
export const packs: Fuzzer = {
  name: 'packs',
  cases: 10_000,
  caseMs: 1_000,
  async open(corpus): Promise<Subject> {
    const folder = mkdtempSync(join(tmpdir(), 'stithy-fuzz-'));
    const pool = new RepositoryPool({ graphPauseMs: null, maxRepositories: 4, maxOpenFiles: 16 });
    const contents: Buffer[] = [];
    let opened = 0;

    /** Puts a repository on the disk. */
    function write({ file, bytes }: CorpusInput): Layout {
      const { files, ids } = JSON.parse(bytes.toString()) as Files;
      const dir = join(folder, `${file}.git`);
      for (const path of ['objects/pack', 'objects/info', 'refs']) mkdirSync(join(dir, path), { recursive: true });
      writeFileSync(join(dir, 'HEAD'), 'ref: refs/heads/main\n');
      const sound = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text, 'base64')]));
      for (const [path, content] of sound) {
        mkdirSync(join(dir, 'objects', path, '..'), { recursive: true });
        writeFileSync(join(dir, 'objects', path), content);
      }
      return { dir, ids, sound };
    }

    /** Opens it as one that nothing is known of. */
    function open({ dir }: Layout): Repository {
      opened += 1;
      return pool.get(`${opened}`, dir);
    }

    const layouts = new Map(corpus.map((each) => [each.file, write(each)]));
    for (const layout of layouts.values()) {
      const repository = open(layout);
      for (const oid of layout.ids) {
        const object = await repository.objects.read(oid, MAX_BYTES);
        if (object?.data) contents.push(Buffer.from(object.data));
      }
    }
    return {
      async replay({ file }: CorpusInput) {
        const layout = layouts.get(file)!;
        const count = await readAll(open(layout), layout.ids);
        assert.equal(count, layout.ids.length, 'not all of a sound repository is read');
      },
      async one(random) {
        const share = random.below(10);
        if (share < 2) return delta(random);
        if (share < 5) return parse(mutated(random.pick(contents), random, contents));
        const layout = random.pick([...layouts.values()]);
        const [path, sound] = random.pick([...layout.sound]);
        const victim = join(layout.dir, 'objects', path);
        writeFileSync(victim, mutated(sound, random, contents));
        try {
          await readAll(open(layout), layout.ids);
        } finally {
          writeFileSync(victim, sound);
        }
      },
      async close() {
        await pool.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
