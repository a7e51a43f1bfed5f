import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { runGitClient } from '../../../test/support/git-client.ts';
import { commitFile, type GitHttp, type GitHttpOptions, git, serveGit, until } from '../../../test/support/git-http.ts';
import { encodePacket, FLUSH } from './packet-line.ts';
import { PushedHistory } from './pushed-history.ts';
import { isServing } from './session.ts';
import type { PushedRef } from './transport.push.ts';

const work = mkdtempSync(join(tmpdir(), 'stithy-pushes-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** What the handlers of the served repository do; each test sets its own. */
let handlers: GitHttpOptions;
let http: GitHttp;
let clone: string;
let first: string;

beforeEach(async () => {
  handlers = {};
  http = await serveGit({
    maxInputBytes: 64 * 1024 * 1024,
    check: async (updates, context) => (await handlers.check?.(updates, context)) ?? { ok: true },
  });
  clone = mkdtempSync(join(work, 'clone-'));
  await git(clone, 'init', '--quiet', '--initial-branch=main');
  await git(clone, 'remote', 'add', 'origin', http.url);
  first = await commitFile(clone, 'file', 'one\n'.repeat(2_000));
  await push('main');
});
afterEach(() => http.close());

async function push(...args: string[]): Promise<string> {
  const pushed = await git(clone, 'push', 'origin', ...args);
  assert.equal(pushed.code, 0, pushed.stderr);
  return pushed.stderr;
}

async function refs(): Promise<Record<string, string>> {
  const all = await http.repository.refs.list('refs/');
  return Object.fromEntries(all.map(({ name, oid }) => [name, oid]));
}

describe('a push that is allowed', () => {
  test('creates, moves and deletes branches and tags', async () => {
    const second = await commitFile(clone, 'file', 'two\n');
    await push('main', 'main:refs/heads/topic', 'main:refs/tags/v1');
    assert.deepEqual(await refs(), { 'refs/heads/main': second, 'refs/heads/topic': second, 'refs/tags/v1': second });
    await push(':refs/heads/topic', ':refs/tags/v1');
    assert.deepEqual(await refs(), { 'refs/heads/main': second });
    assert.equal((await git(http.dir, 'fsck', '--full', '--strict')).code, 0);
  });

  test('is told with what it changes, its options, and its objects in quarantine', async () => {
    const seen: unknown[] = [];
    const second = await commitFile(clone, 'file', 'two\n');
    handlers.check = async (updates, { pushOptions, quarantineEnv }) => {
      const history = new PushedHistory(http.repository, { ...quarantineEnv }, [first]);
      const forward = (a: string, b: string) => history.isAncestor(a, b);
      seen.push(updates, pushOptions, await forward(first, second), await forward(second, first));
      history.close();
      return { ok: true };
    };
    await push('--push-option=ci.skip', '--push-option=two words $(x) "y"', 'main');
    const update: PushedRef = { ref: 'refs/heads/main', old: first, new: second };
    assert.deepEqual(seen, [[update], ['ci.skip', 'two words $(x) "y"'], true, false]);
  });

  test('may be forced, and the check can see that it is', async () => {
    let forced: boolean | undefined;
    handlers.check = async ([update], { quarantineEnv }) => {
      const history = new PushedHistory(http.repository, quarantineEnv, [update!.old!]);
      forced = !(await history.isAncestor(update!.old!, update!.new!));
      history.close();
      return { ok: true };
    };
    await commitFile(clone, 'file', 'two\n');
    await push('main');
    assert.equal(forced, false);
    await git(clone, 'reset', '--hard', '--quiet', first);
    const other = await commitFile(clone, 'file', 'other\n');
    await push('--force', 'main');
    assert.equal(forced, true);
    assert.deepEqual(await refs(), { 'refs/heads/main': other });
  });

  test('shows the messages of both handlers', async () => {
    await http.close();
    http = await serveGit({
      check: async () => ({ ok: true, message: 'be welcome\nfriend\u001b[31m' }),
      update: async (updates) => ({ reasons: updates.map(() => null), message: 'See http://localhost/new' }),
    });
    const shown = await git(clone, 'push', http.url, 'main');
    assert.match(shown.stderr, /remote: be welcome +\nremote: friend\[31m +\nremote: See http:\/\/localhost\/new +\n/);
  });

  test('is under way until git and its check have ended, though its client has left', async () => {
    const [checking, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    handlers.check = async () => {
      checking.resolve();
      await goOn.promise;
      return { ok: true };
    };
    const folders = [dirname(http.dir)];
    await until(() => !isServing(folders));
    const ended = http.ends.length;
    await commitFile(clone, 'file', 'two\n');
    const kill = new AbortController();
    const pushing = runGitClient(clone, ['push', 'origin', 'main'], '', {}, kill.signal);
    await checking.promise;
    kill.abort();
    await pushing;
    await until(() => http.ends.length === ended + 2);
    assert.equal(isServing(folders), true);
    assert.equal(isServing([join(http.dir, 'elsewhere')]), false);
    goOn.resolve();
    await until(() => !isServing(folders));
    assert.deepEqual(await refs(), { 'refs/heads/main': first });
  });

  test('may come from a shallow clone', async () => {
    await commitFile(clone, 'file', 'two\n');
    await push('main');
    const shallow = join(work, 'shallow');
    await git(work, 'clone', '--quiet', '--depth=1', http.url, shallow);
    const third = await commitFile(shallow, 'file', 'three\n');
    const pushed = await git(shallow, 'push', 'origin', 'main');
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.deepEqual(await refs(), { 'refs/heads/main': third });
    assert.equal((await git(http.dir, 'fsck', '--full', '--strict')).code, 0);
  });

  test('may be a pack of many objects that leans on those already there', async () => {
    for (let n = 0; n < 60; n += 1) await commitFile(clone, 'file', `${'one\n'.repeat(2_000)}${n}\n`);
    await push('main');
    assert.ok(readdirSync(join(http.dir, 'objects/pack')).some((name) => name.endsWith('.pack')));
    assert.equal((await git(http.dir, 'fsck', '--full', '--strict')).code, 0);
  });

  test('is refused with a reason on the screen where it names too many refs, before git is asked', async () => {
    await http.close();
    let checked = 0;
    const check = async () => {
      checked += 1;
      return { ok: true } as const;
    };
    http = await serveGit({ maxRefs: 50, check });
    await git(clone, 'remote', 'set-url', 'origin', http.url);
    const names = Array.from({ length: 51 }, (_, n) => `main:refs/heads/${'long-'.repeat(30)}${n}`);
    for (const options of [[], ['--atomic'], ['--quiet']]) {
      const refused = await git(clone, 'push', ...options, http.url, ...names);
      assert.notEqual(refused.code, 0);
      assert.match(refused.stderr, /remote: A push can change at most 50 refs\. Push them in several parts\./);
    }
    assert.equal(checked, 0);
    assert.deepEqual(await refs(), {});
    await push('--atomic', ...names.slice(1));
    assert.equal(Object.keys(await refs()).length, 50);
  });

  test('may name hundreds of refs', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `refs/heads/${'long-'.repeat(30)}${n}`);
    await push('--atomic', ...names.map((name) => `main:${name}`));
    assert.deepEqual(Object.keys(await refs()).sort(), ['refs/heads/main', ...names].sort());
    await push('--atomic', ...names.map((name) => `:${name}`));
    assert.deepEqual(Object.keys(await refs()), ['refs/heads/main']);
  });
});

describe('a push that is refused', () => {
  test('leaves nothing behind and shows the reason', async () => {
    handlers.check = async () => ({ ok: false, message: 'You are not allowed to push code.\nAsk for it.' });
    const second = await commitFile(clone, 'file', 'two\n');
    const pushed = await git(clone, 'push', 'origin', 'main');
    assert.equal(pushed.code, 1);
    assert.match(pushed.stderr, /remote: You are not allowed to push code\. +\nremote: Ask for it\./);
    assert.match(pushed.stderr, /! \[remote rejected\] main -> main \(pre-receive hook declined\)/);
    assert.deepEqual(await refs(), { 'refs/heads/main': first });
    assert.equal((await git(http.dir, 'cat-file', '-e', second)).code, 1);
    assert.deepEqual(
      readdirSync(join(http.dir, 'objects')).filter((name) => name.startsWith('tmp_')),
      [],
    );
  });

  test('tells the reason of each ref, and moves the others', async () => {
    await http.close();
    const moved: string[] = [];
    http = await serveGit({
      update: async (updates) => ({
        reasons: updates.map(({ ref }) => {
          if (ref.endsWith('/bad')) return 'this one\nis locked';
          moved.push(ref);
          return null;
        }),
      }),
    });
    const pushed = await git(clone, 'push', http.url, 'main:good', 'main:bad');
    assert.equal(pushed.code, 1);
    assert.match(pushed.stderr, /! \[remote rejected\] main -> bad \(this one is locked\)/);
    assert.match(pushed.stderr, /\* \[new branch\] +main -> good/);
    assert.deepEqual(moved, ['refs/heads/good']);
  });

  test('all or nothing: one stale ref keeps the others', async () => {
    const second = await commitFile(clone, 'file', 'two\n');
    await git(clone, 'fetch', '--quiet', 'origin');
    handlers.check = async () => {
      await http.repository.refs.transaction([{ ref: 'refs/heads/main', old: first, new: null }]);
      return { ok: true };
    };
    const pushed = await git(clone, 'push', '--atomic', 'origin', 'main', 'main:topic');
    assert.equal(pushed.code, 1);
    assert.match(pushed.stderr, /main -> topic \(cannot move ref: conflict\)/);
    assert.deepEqual(await refs(), {});
    assert.equal((await git(http.dir, 'cat-file', '-e', second)).code, 0);
  });

  test('all or nothing: a ref that git itself refuses keeps the others', async () => {
    const pushed = await git(clone, 'push', '--atomic', 'origin', 'main:topic', 'main:refs/merge-requests/1/head');
    assert.equal(pushed.code, 1);
    assert.match(pushed.stderr, /deny updating a hidden ref/);
    assert.deepEqual(await refs(), { 'refs/heads/main': first });
  });

  test('says no more than that of a fault inside the server, and tells the server the rest', async () => {
    handlers.check = async () => {
      throw new Error('the secret at /path');
    };
    const pushed = await git(clone, 'push', 'origin', 'main:topic');
    assert.equal(pushed.code, 1);
    assert.match(pushed.stderr, /remote: internal server error/);
    assert.doesNotMatch(pushed.stderr, /secret/);
    // The client may have its answer before the server has seen git end.
    await until(() => http.ends.at(-1)?.failure !== undefined);
    assert.match(String(http.ends.at(-1)?.failure), /the secret at \/path/);
    assert.deepEqual(await refs(), { 'refs/heads/main': first });
  });

  test('a broken object does not enter', async () => {
    const tree = await git(clone, 'write-tree');
    const text = `tree ${tree.stdout.trim()}\nauthor a <a@b> nonsense\ncommitter a <a@b> 1 +0000\n\nx\n`;
    writeFileSync(join(clone, '.git', 'bad-commit'), text);
    const bad = await git(clone, 'hash-object', '-t', 'commit', '-w', '--literally', '.git/bad-commit');
    assert.equal(bad.code, 0, bad.stderr);
    const pushed = await git(clone, 'push', 'origin', `${bad.stdout.trim()}:refs/heads/bad`);
    assert.notEqual(pushed.code, 0);
    assert.deepEqual(await refs(), { 'refs/heads/main': first });
  });
});

describe('a hostile push', () => {
  const none = '0'.repeat(40);
  const emptyPack = (() => {
    const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
    return Buffer.concat([head, createHash('sha1').update(head).digest()]);
  })();

  async function send(command: Buffer, options: string[] = []): Promise<string> {
    const capability = options.length > 0 ? ' push-options' : '';
    const line = Buffer.concat([command, Buffer.from(`\0 report-status${capability}`)]);
    const tail = options.length > 0 ? [...options.map(encodePacket), FLUSH] : [];
    const body = Buffer.concat([encodePacket(line), FLUSH, ...tail, emptyPack]);
    const answer = await fetch(`${http.url}/git-receive-pack`, { method: 'POST', body });
    return await answer.text();
  }

  test('made by hand is taken when it is a good one', async () => {
    assert.match(await send(Buffer.from(`${none} ${first} refs/heads/topic`)), /ok refs\/heads\/topic/);
    assert.deepEqual(await refs(), { 'refs/heads/main': first, 'refs/heads/topic': first });
  });

  test('cannot hide a ref behind a line feed, nor use a name that is none', async () => {
    const names = [
      `refs/heads/x\n${none} ${first} refs/heads/y`,
      'refs/heads/a..b',
      'refs/heads/-\x7f',
      'refs/heads/x.lock',
    ];
    for (const name of names)
      assert.match(await send(Buffer.from(`${none} ${first} ${name}`)), /ng refs\/heads\//, name);
    assert.match(await send(Buffer.from(`${none} ${first} HEAD`)), /ng HEAD/);
    assert.deepEqual(await refs(), { 'refs/heads/main': first });
  });

  test('cannot pass an option off as a ref', async () => {
    let seen: readonly string[] = [];
    handlers.check = async (updates, { pushOptions }) => {
      seen = [...pushOptions, ...updates.map(({ ref }) => ref)];
      return { ok: true };
    };
    const option = `a\n${none} ${first} refs/heads/y\n`;
    assert.match(
      await send(Buffer.from(`${none} ${first} refs/heads/x`), [option, '$(id) `id` %s']),
      /ok refs\/heads\/x/,
    );
    assert.deepEqual(seen, [option.trimEnd(), '$(id) `id` %s', 'refs/heads/x']);
  });

  test('may name a ref in another encoding than UTF-8', async () => {
    const name = Buffer.from('refs/heads/caf\xe9', 'latin1');
    const answer = await send(Buffer.concat([Buffer.from(`${none} ${first} `), name]));
    assert.match(answer, /ok refs\/heads\/caf/);
    const { stdout } = await git(http.dir, 'for-each-ref', '--format=%(refname)', '--points-at', first);
    assert.equal(stdout.split('\n').filter((line) => line.startsWith('refs/heads/caf')).length, 1);
  });

  test('cannot bring an object that is missing', async () => {
    assert.match(
      await send(Buffer.from(`${none} ${'1'.repeat(40)} refs/heads/x`)),
      /ng refs\/heads\/x missing necessary objects/,
    );
    assert.deepEqual(await refs(), { 'refs/heads/main': first });
  });
});
