import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { commitFile, type GitHttp, git, pidsIn, processesIn, serveGit, until } from '../../../test/support/git-http.ts';
import { NICE, runGit } from '../process/index.ts';
import { encodePacket, FLUSH } from './packet-line.ts';

const work = mkdtempSync(join(tmpdir(), 'stithy-clones-'));
after(() => rmSync(work, { recursive: true, force: true }));

describe('fetching', () => {
  let http: GitHttp;
  let head: string;
  before(async () => {
    http = await serveGit();
    const clone = join(work, 'seed');
    await git(work, 'init', '--quiet', '--initial-branch=main', clone);
    for (let n = 0; n < 5; n += 1) head = await commitFile(clone, `file-${n}`, `${n}\n`.repeat(1_000));
    const pushed = await git(clone, 'push', http.url, 'main', 'main:refs/tags/v1');
    assert.equal(pushed.code, 0, pushed.stderr);
  });
  after(() => http.close());

  for (const version of ['0', '1', '2']) {
    test(`a clone by protocol version ${version} has everything`, async () => {
      const clone = join(work, `v${version}`);
      const made = await git(work, '-c', `protocol.version=${version}`, 'clone', '--quiet', http.url, clone);
      assert.equal(made.code, 0, made.stderr);
      assert.equal((await git(clone, 'rev-parse', 'HEAD')).stdout.trim(), head);
      assert.equal((await git(clone, 'fsck', '--full', '--strict')).code, 0);
      assert.equal((await git(clone, 'tag', '--list')).stdout, 'v1\n');
    });
  }

  test('the version is the one the client asks for', async () => {
    const seen = async (header: string) => {
      const answer = await fetch(`${http.url}/info/refs?service=git-upload-pack`, {
        headers: { 'Git-Protocol': header },
      });
      return (await answer.text()).split('\n').slice(0, 2).join('|');
    };
    assert.match(await seen('version=2'), /^000eversion 2\|/);
    assert.match(await seen('version=1'), /^001e# service=git-upload-pack\|0000000eversion 1/);
    assert.match(await seen('version=0'), /^001e# service=git-upload-pack\|0000[0-9a-f]{44} HEAD/);
    assert.match(await seen('version=9;x'), /^001e# service=git-upload-pack\|0000[0-9a-f]{44} HEAD/);
  });

  test('a shallow clone has one commit and deepens', async () => {
    const clone = join(work, 'shallow');
    const made = await git(work, 'clone', '--quiet', '--depth=1', http.url, clone);
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await git(clone, 'rev-list', '--count', 'HEAD')).stdout.trim(), '1');
    assert.equal((await git(clone, 'fetch', '--quiet', '--deepen=2')).code, 0);
    assert.equal((await git(clone, 'rev-list', '--count', 'HEAD')).stdout.trim(), '3');
    assert.equal((await git(clone, 'fetch', '--quiet', '--unshallow')).code, 0);
    assert.equal((await git(clone, 'rev-list', '--count', 'HEAD')).stdout.trim(), '5');
  });

  test('a partial clone leaves blobs out and fetches them on demand', async () => {
    const clone = join(work, 'partial');
    const made = await git(work, 'clone', '--quiet', '--bare', '--filter=blob:none', http.url, clone);
    assert.equal(made.code, 0, made.stderr);
    const missing = await git(clone, 'rev-list', '--objects', '--missing=print', 'HEAD');
    assert.equal(missing.stdout.split('\n').filter((line) => line.startsWith('?')).length, 5);
    assert.equal((await git(clone, 'show', 'HEAD:file-2')).stdout, '2\n'.repeat(1_000));
  });

  test('one commit can be fetched by its id', async () => {
    const clone = join(work, 'by-id');
    await git(work, 'init', '--quiet', clone);
    assert.equal((await git(clone, 'fetch', '--quiet', '--depth=1', http.url, head)).code, 0);
    assert.equal((await git(clone, 'rev-parse', 'FETCH_HEAD')).stdout.trim(), head);
  });

  test("the server's own refs are not advertised", async () => {
    for (const ref of ['refs/stithy/x', 'refs/keep-around/x', 'refs/merge-requests/1/head']) {
      await runGit(['update-ref', ref, head], { gitDir: http.dir });
    }
    for (const version of ['0', '2']) {
      const { stdout } = await git(work, '-c', `protocol.version=${version}`, 'ls-remote', http.url);
      const names = stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1]);
      assert.deepEqual(names, ['HEAD', 'refs/heads/main', 'refs/merge-requests/1/head', 'refs/tags/v1']);
    }
  });

  test('a repository git cannot open is an error, not an empty answer', async () => {
    const empty = join(work, 'no-repository');
    mkdirSync(empty);
    const broken = await serveGit({}, empty);
    const answer = await fetch(`${broken.url}/info/refs?service=git-upload-pack`);
    assert.equal(answer.status, 500);
    assert.equal(await answer.text(), '');
    await broken.close();
  });
});

describe('a large repository', () => {
  const size = 50 * 1024 * 1024;
  let http: GitHttp;
  const clone = join(work, 'large');
  before(async () => {
    http = await serveGit({ maxInputBytes: 2 * size });
    await git(work, 'init', '--quiet', '--initial-branch=main', clone);
    await git(clone, 'config', 'core.compression', '0');
    await commitFile(clone, 'random', randomBytes(size));
    await git(clone, 'push', '--quiet', http.url, 'main');
  });
  after(() => http.close());

  const filesIn = (dir: string) =>
    readdirSync(dir, { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).length;

  /** The most memory outside the heap that was in use while something ran, in bytes above the start. */
  async function peakOf(job: () => Promise<void>): Promise<number> {
    const now = () => process.memoryUsage().arrayBuffers;
    const start = now();
    let peak = start;
    const timer = setInterval(() => {
      peak = Math.max(peak, now());
    }, 5);
    await job();
    clearInterval(timer);
    return peak - start;
  }

  test('is pushed and cloned without being held in memory', async () => {
    const other = await serveGit();
    const push = await peakOf(async () => {
      const pushed = await git(clone, 'push', '--quiet', other.url, 'main');
      assert.equal(pushed.code, 0, pushed.stderr);
    });
    const fetched = await peakOf(async () => {
      const made = await git(work, 'clone', '--quiet', '--bare', http.url, join(work, 'large-again'));
      assert.equal(made.code, 0, made.stderr);
    });
    await other.close();
    assert.ok(push < size / 2, `push held ${push} bytes`);
    assert.ok(fetched < size / 2, `clone held ${fetched} bytes`);
  });

  /** A client that has been sent the first bytes of a clone. */
  function startClone(server = http): { stop(): void; begun: Promise<void> } {
    const body = `0011command=fetch0001000fno-progress0032want ${'%'}\n0009done\n0000`;
    const mainOid = runGit(['rev-parse', 'refs/heads/main'], { gitDir: server.dir });
    const client = request(`${server.url}/git-upload-pack`, {
      method: 'POST',
      headers: { 'Git-Protocol': 'version=2' },
    });
    client.on('error', () => {});
    const begun = mainOid.then(
      ({ stdout }) =>
        new Promise<void>((resolve) => {
          client.on('response', (response) => response.once('readable', () => resolve()));
          client.end(body.replace('%', stdout.toString().trim()));
        }),
    );
    return { stop: () => client.destroy(), begun };
  }

  test('a client that goes away takes all git processes with it', async () => {
    const client = startClone();
    await client.begun;
    assert.ok(processesIn(http.dir).length > 0);
    client.stop();
    await until(() => processesIn(http.dir).length === 0);
    await until(() => http.ends.some(({ killed }) => killed === 'abort'));
  });

  test('what serves a client lets the server go first', async () => {
    const client = startClone();
    await client.begun;
    const pids = pidsIn(http.dir);
    assert.ok(pids.length > 0);
    assert.deepEqual(
      pids.map((pid) => getPriority(pid)),
      pids.map(() => NICE.transport),
    );
    client.stop();
    await until(() => processesIn(http.dir).length === 0);
  });

  test('a client that stops reading is dropped', async (t) => {
    const slow = await serveGit({ idleMs: 200 }, http.dir);
    t.after(() => slow.close());
    const client = startClone(slow);
    t.after(() => client.stop());
    await client.begun;
    await until(() => processesIn(slow.dir).length === 0);
    await until(() => slow.ends.some(({ killed }) => killed === 'idle'));
  });

  test('a push that breaks off leaves no ref, no object and no process', async () => {
    const objects = () => readdirSync(join(http.dir, 'objects')).sort();
    const before = objects();
    const client = request(`${http.url}/git-receive-pack`, { method: 'POST' });
    client.on('error', () => {});
    client.write(encodePacket(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x\0 report-status`));
    client.write(FLUSH);
    client.write('PACK\0\0\0\x02\0\0\x09\x09');
    // Git has begun to write what it receives, so that there is something to clear up.
    await until(() => objects().some((name) => !before.includes(name) && filesIn(join(http.dir, 'objects', name)) > 0));
    client.destroy();
    await until(() => processesIn(http.dir).length === 0);
    assert.equal((await git(http.dir, 'rev-parse', '--verify', 'refs/heads/x')).code, 128);
    assert.deepEqual(objects(), before);
  });

  test('a pack above the limit is refused with the reason', async () => {
    const small = await serveGit({ maxInputBytes: 1024 * 1024 });
    const pushed = await git(clone, 'push', small.url, 'main');
    assert.notEqual(pushed.code, 0);
    assert.match(pushed.stderr, /pack exceeds maximum allowed size/);
    assert.equal((await git(work, 'ls-remote', small.url)).stdout, '');
    await small.close();
  });
});
