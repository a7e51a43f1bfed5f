import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { outputOf } from '../../../test/support/fork-server.ts';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { ARCHIVE_FORMATS, type ArchiveOptions, archive } from './git.archive.ts';

let git: GitRepository;
let head: string;

before(() => {
  git = new GitRepository();
  git.write('a', 'a\n');
  git.write('dir/b', 'b\n');
  git.write('-x', 'dash\n');
  git.write('dir/*', 'star\n');
  symlinkSync('/etc/passwd', join(git.dir, 'link'));
  head = git.commit('root');
});
after(() => git.close());

async function read(options: Partial<ArchiveOptions>): Promise<Buffer> {
  return await buffer(await archive(git.repo, head, { format: 'tar', prefix: 'p-1', ...options }));
}

function names(data: Buffer, ...args: string[]): string[] {
  const output = outputOf('tar', ['-t', ...args], { input: data }).toString();
  return output.split('\n').filter((line) => line !== '' && !line.endsWith('/'));
}

const all = ['p-1/-x', 'p-1/a', 'p-1/dir/*', 'p-1/dir/b', 'p-1/link'];

test('every format holds the files, and two archives are equal byte by byte', async () => {
  for (const format of ARCHIVE_FORMATS) {
    const data = await read({ format });
    assert.ok(data.equals(await read({ format })), format);
    if (format === 'zip') {
      assert.equal(data.toString('latin1', 0, 2), 'PK');
      for (const name of all) assert.ok(data.includes(name));
      continue;
    }
    const flag = format === 'tar' ? [] : /g/.test(format) ? ['-z'] : ['-j'];
    assert.deepEqual(names(data, ...flag), all, format);
  }
});

test('a link stays a link', async () => {
  const list = outputOf('tar', ['-tv'], { input: await read({}) }).toString();
  assert.match(list, /^l.*p-1\/link -> \/etc\/passwd$/m);
});

test('a path is taken literally and keeps its place', async () => {
  assert.deepEqual(names(await read({ path: 'dir' })), ['p-1/dir/*', 'p-1/dir/b']);
  assert.deepEqual(names(await read({ path: 'dir/*' })), ['p-1/dir/*']);
  assert.deepEqual(names(await read({ path: '-x' })), ['p-1/-x']);
  await assert.rejects(read({ path: 'd*' }), { code: 'failed' });
  for (const path of ['../a', '/etc', '', '.']) await assert.rejects(read({ path }), { code: 'invalid' });
});

test('leaves out what is excluded, taken literally', async () => {
  assert.deepEqual(names(await read({ exclude: ['dir', '-x'] })), ['p-1/a', 'p-1/link']);
  assert.deepEqual(names(await read({ path: 'dir', exclude: ['dir/*'] })), ['p-1/dir/b']);
  assert.deepEqual(names(await read({ exclude: ['missing', '../a', '', ':(glob)**'] })), all);
  assert.deepEqual(names(await read({ exclude: ['a', 'dir', '-x', 'link'] })), []);
});

test('refuses odd prefixes and ids', async () => {
  for (const prefix of ['', '..', '../x', '/x', 'a//b']) await assert.rejects(read({ prefix }), { code: 'invalid' });
  await assert.rejects(archive(git.repo, '--output=/tmp/x', { format: 'tar', prefix: 'p' }), { code: 'invalid' });
  await assert.rejects(buffer(await archive(git.repo, 'a'.repeat(40), { format: 'tar', prefix: 'p' })), {
    code: 'failed',
  });
});

test('without bzip2 its formats are unavailable', async () => {
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  try {
    await assert.rejects(archive(git.repo, head, { format: 'tbz2', prefix: 'p' }), { code: 'unavailable' });
  } finally {
    process.env.PATH = path;
  }
});

/** The git processes that work on this repository. */
function children(): string[] {
  const list = outputOf('ps', ['-eo', 'args']).toString();
  return list.split('\n').filter((line) => line.includes(git.dir) && line.includes('archive'));
}

async function noChildren(): Promise<void> {
  for (let tries = 0; tries < 500 && children().length > 0; tries += 1) await sleep(20);
  assert.deepEqual(children(), []);
}

test('a reader that goes away ends the processes', async () => {
  git.write('big', Buffer.alloc(20_000_000, 'x\n'));
  const commit = git.commit('big');
  const stream = await archive(git.repo, commit, { format: 'tar', prefix: 'p' });
  await new Promise((resolve) => stream.once('readable', resolve));
  assert.equal(children().length, 1);
  stream.destroy();
  await noChildren();
  const controller = new AbortController();
  const other = await archive(git.repo, commit, { format: 'tar', prefix: 'p', signal: controller.signal });
  await new Promise((resolve) => other.once('readable', resolve));
  controller.abort();
  await assert.rejects(buffer(other), { code: 'aborted' });
  await noChildren();
});
