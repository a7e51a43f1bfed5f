import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GitFixture, gitFixture } from '../../../../test/support/git-fixture.ts';
import { COMMIT_PAGE } from '../../../api/code/commits/page-json.ts';
import { readerThread } from '../../../api/code/reader-thread-program.ts';
import { FOLDER_PAGE } from '../../../api/code/repositories/folder-page.ts';
import { inScope } from '../../../core/request-scope.ts';
import { decodeBytes } from '../../common/index.ts';
import { MAX_CONTENT } from '../../history/file-at.ts';
import { COMMITS, FILE_AT, type FileAtCommit, type LogQuery, MERGED_INTO } from '../../history/index.ts';
import type { Repository } from '../git.repository.ts';
import { ask } from './ask.ts';
import { Readers } from './readers.ts';

const isNeeded = () => true;
const PROGRAM = { ...readerThread, isNeeded };
const place = { id: 'a', dir: '/nowhere' };

/** Waits until a thread answers about a repository. */
async function answering({ pool, repo }: GitFixture, threads = 1): Promise<void> {
  pool.readers.allow({ ...PROGRAM, threads });
  while ((await pool.readers.ask(repo, FILE_AT.name, ['0'.repeat(40), 'none', 'raw', null])) === undefined)
    await sleep(5);
}

/** The same repository, of which this thread may read nothing. */
function notHere(t: TestContext, repo: Repository): void {
  for (const name of ['read', 'commit', 'treeObject', 'info'] as const) {
    t.mock.method(repo.objects, name, () => assert.fail('it is read here'));
  }
}

test('a thread answers as this one does', async (t) => {
  const fixture = gitFixture(t);
  const { repo, git, bytes } = fixture;
  const name = Buffer.from([0x62, 0xff]);
  const large = git(['hash-object', '-w', '--stdin'], Buffer.alloc(MAX_CONTENT + 1));
  const small = git(['hash-object', '-w', '--stdin'], 'text\n');
  const lines = [`100644 blob ${large}\tlarge`, `100755 blob ${small}\t`];
  const tree = bytes(['mktree', '-z'], Buffer.concat([Buffer.from(lines.join('\0')), name, Buffer.from('\0')]));
  const root = git(['commit-tree', tree.toString().trim(), '-m', 'root']);
  const questions: [string, string, 'raw' | 'base64', string | null][] = [
    [root, decodeBytes(name), 'raw', null],
    [root, decodeBytes(name), 'base64', null],
    [root, decodeBytes(name), 'raw', small],
    [root, 'large', 'raw', null],
    [root, 'none', 'raw', null],
    [root, '', 'raw', null],
  ];
  const here: (FileAtCommit | null)[] = [];
  for (const question of questions) here.push(await ask(repo, FILE_AT, ...question));
  assert.deepEqual(
    here.map((answer) => answer?.bytes && Buffer.from(answer.bytes).toString()),
    ['text\n', 'dGV4dAo=', null, null, undefined, undefined],
  );
  assert.deepEqual(
    here.map((answer) => answer?.last),
    [root, root, root, root, undefined, undefined],
  );
  await answering(fixture);
  notHere(t, repo);
  for (const [nth, question] of questions.entries()) {
    const there = await ask(repo, FILE_AT, ...question);
    const own = here[nth]?.bytes;
    assert.deepEqual(there, here[nth] && { ...here[nth], bytes: own && Uint8Array.from(own) });
  }
});

test('folders, histories and commits come from a thread as they are here', async (t) => {
  const fixture = gitFixture(t);
  const { repo } = fixture;
  const first = fixture.commit({ a: '1', 'b/c': '1' });
  const second = fixture.commit({ a: '2', 'b/c': '1' }, [first]);
  const third = fixture.commit({ a: '2', 'b/c': '2' }, [second], 'no text: \u00e9\n');
  const listOf = async (query: LogQuery) => {
    const { bytes, ...rest } = await ask(repo, COMMIT_PAGE, query, 'http://x/p', true);
    return { ...rest, json: Buffer.from(bytes).toString() };
  };
  const folderOf = async (folder: string, from: number | string) => {
    const { bytes, ...rest } = (await ask(repo, FOLDER_PAGE, third, folder, { from, size: 1 }))!;
    return { ...rest, json: Buffer.from(bytes).toString() };
  };
  const everything = async () => ({
    folder: await folderOf('b', 0),
    root: await folderOf('', ''),
    none: await ask(repo, FOLDER_PAGE, third, 'a', { from: 0, size: 1 }),
    page: await listOf({ from: [third], limit: 2, skip: 1 }),
    more: await listOf({ from: [third], limit: 1, path: 'a', until: new Date() }),
    commits: await ask(repo, COMMITS, [third, '0'.repeat(40)]),
    merged: await ask(repo, MERGED_INTO, [first, third], second),
    list: await listOf({ from: [third], limit: 2 }),
  });
  const here = await everything();
  const ids = (json: string) => JSON.parse(json).map(({ id }: { id: string }) => id);
  assert.deepEqual(
    [here.folder, here.root].map(({ json, total, next }) => [JSON.parse(json)[0].path, total, next]),
    [
      ['b/c', 1, null],
      ['b', 2, 'Yg'],
    ],
  );
  assert.deepEqual([ids(here.page.json), here.page.more], [[second, first], false]);
  assert.deepEqual([here.more.more, here.none, here.commits[1]], [true, null, null]);
  assert.deepEqual(here.merged, new Set([first]));
  const listed = JSON.parse(here.list.json).map(({ title, web_url }: Record<string, string>) => [title, web_url]);
  assert.deepEqual(listed[0], ['no text: \u00e9', `http://x/p/-/commit/${third}`]);
  assert.deepEqual([listed.length, here.list.more], [2, true]);
  await answering(fixture);
  notHere(t, repo);
  assert.deepEqual(await everything(), here);
});

test('what a thread refuses is refused as it would be here', async (t) => {
  const fixture = gitFixture(t);
  const root = fixture.commit({ a: '1' });
  const tree = fixture.git(['rev-parse', `${root}^{tree}`]);
  await answering(fixture);
  rmSync(join(fixture.dir, 'objects', tree.slice(0, 2), tree.slice(2)));
  notHere(t, fixture.repo);
  await assert.rejects(ask(fixture.repo, FILE_AT, root, 'a', 'raw', null), { name: 'GitError', code: 'corrupt' });
});

test('what needs git is answered here', async (t) => {
  const fixture = gitFixture(t);
  const root = fixture.commit({ a: '1', b: '1' });
  const next = fixture.commit({ a: '2', b: '1' }, [root]);
  writeFileSync(join(fixture.dir, 'shallow'), `${next}\n`);
  await answering(fixture);
  assert.equal((await ask(fixture.repo, FILE_AT, next, 'b', 'raw', null))?.last, next);
  assert.equal(fixture.pool.readers.size, 1);
});

test('a repository that was forgotten is opened anew', async (t) => {
  const fixture = gitFixture(t);
  const { pool, repo, dir } = fixture;
  const root = fixture.commit({ a: '1' });
  await answering(fixture);
  assert.equal((await ask(repo, FILE_AT, root, 'a', 'raw', null))?.content?.size, 1);
  pool.evict(repo.id);
  rmSync(dir, { recursive: true });
  const again = gitFixture(t);
  const other = again.commit({ a: '22' });
  again.git(['clone', '-q', '--bare', again.dir, dir]);
  assert.equal((await ask(pool.get(repo.id, dir), FILE_AT, other, 'a', 'raw', null))?.content?.size, 2);
});

test('who leaves is not waited for', async (t) => {
  const fixture = gitFixture(t);
  const { pool } = fixture;
  const program = `
    import { parentPort } from 'node:worker_threads';
    let open;
    parentPort.on('message', ({ type, number }) => {
      if (type === 'question') open = number;
      else parentPort.postMessage({ type: 'refusal', number: open, code: 'aborted', message: type });
    });
    parentPort.postMessage({ type: 'ready' });`;
  pool.readers.allow({
    address: `data:text/javascript,${encodeURIComponent(program)}`,
    name: 'leaves',
    threads: 1,
    isNeeded,
  });
  const controller = new AbortController();
  const asked = () => pool.readers.ask(place, 'x', []);
  let answer = asked();
  while (answer === undefined) {
    await sleep(5);
    answer = inScope({ caller: 'me', signal: controller.signal }, asked);
  }
  controller.abort();
  await assert.rejects(answer, { code: 'aborted', message: 'leave' });
});

/** Readers whose threads do as a program says, until the first one can be asked. */
async function readersOf(t: TestContext, body: string, threads: number, maxPending?: (name: string) => number) {
  const readers = new Readers();
  t.after(() => readers.close());
  const program = `import { parentPort } from 'node:worker_threads'; ${body}; parentPort.postMessage({ type: 'ready' });`;
  readers.allow({
    address: `data:text/javascript,${encodeURIComponent(program)}`,
    name: 'test',
    threads,
    isNeeded,
    ...(maxPending === undefined ? {} : { maxPending }),
  });
  let first = readers.ask(place, 'first', []);
  for (; first === undefined; first = readers.ask(place, 'first', [])) await sleep(5);
  return { readers, first };
}

test('a thread that ends leaves what it owes to those who asked, and no other is started at once', async (t) => {
  const { readers, first } = await readersOf(t, `parentPort.on('message', () => process.exit(1))`, 1);
  const second = readers.ask(place, 'second', []);
  assert.deepEqual(await Promise.all([first, second]), [undefined, undefined]);
  assert.equal(readers.size, 0);
  assert.equal(readers.ask(place, 'third', []), undefined);
  assert.equal(readers.size, 0);
});

test('another thread is started when the first has something to do, and the one that owes least is asked', async (t) => {
  const body = `
    const { threadId } = await import('node:worker_threads');
    parentPort.on('message', ({ number, name }) => {
      if (name !== 'first') parentPort.postMessage({ type: 'answer', number, value: threadId });
    })`;
  const { readers } = await readersOf(t, body, 2);
  assert.equal(readers.size, 1);
  const asked = async () => (await readers.ask(place, 'other', []))?.value;
  const busy = await asked();
  assert.equal(readers.size, 2);
  let other = await asked();
  for (; other === busy; other = await asked()) await sleep(5);
  assert.equal(await asked(), other);
  assert.equal(readers.size, 2);
});

test('threads that owe nothing can be ended at any time, and are started again for the next question', async (t) => {
  const body = `
    const { threadId } = await import('node:worker_threads');
    let kept;
    parentPort.on('message', ({ number, name }) => {
      if (name === 'slow') kept = number;
      else if (kept !== undefined) parentPort.postMessage({ type: 'answer', number: kept, value: threadId });
      if (name === 'first' || name === 'other') parentPort.postMessage({ type: 'answer', number, value: threadId });
    })`;
  const { readers, first } = await readersOf(t, body, 1);
  const before = (await first)!.value;
  const slow = readers.ask(place, 'slow', []);
  readers.endIdle();
  assert.equal(readers.size, 1);
  assert.deepEqual((await readers.ask(place, 'other', []))!.value, before);
  assert.deepEqual((await slow)!.value, before);
  readers.endIdle();
  assert.equal(readers.size, 0);
  let next = readers.ask(place, 'other', []);
  assert.equal(readers.size, 1);
  for (; next === undefined; next = readers.ask(place, 'other', [])) await sleep(5);
  assert.notEqual((await next)!.value, before);
});

test('a thread that owes enough is asked only what it may owe more of', async (t) => {
  const maxPending = (name: string) => (name === 'light' ? Number.POSITIVE_INFINITY : 2);
  const { readers, first } = await readersOf(t, `parentPort.on('message', () => {})`, 1, maxPending);
  const asked = ['dear', 'dear', 'light', 'dear'].map((name) => readers.ask(place, name, []));
  assert.deepEqual(
    asked.map((answer) => answer !== undefined),
    [true, false, true, false],
  );
  readers.close();
  assert.deepEqual(await Promise.all([first, asked[0], asked[2]]), [undefined, undefined, undefined]);
});

test('nothing is asked of threads where none are allowed, or all are ended', async () => {
  const readers = new Readers();
  assert.equal(readers.ask(place, 'x', []), undefined);
  readers.allow({ ...PROGRAM, threads: 0 });
  assert.equal(readers.ask(place, 'x', []), undefined);
  readers.allow({ ...PROGRAM, threads: 1 });
  assert.equal(readers.ask(place, 'x', []), undefined);
  assert.equal(readers.size, 1);
  readers.close();
  assert.equal(readers.size, 0);
  assert.equal(readers.ask(place, 'x', []), undefined);
});
