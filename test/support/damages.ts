import assert from 'node:assert/strict';
import { chmodSync, globSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '../../src/git/process/index.ts';

function rewrite(dir: string, pattern: string, change: (bytes: Buffer) => Buffer): void {
  const files = globSync(pattern, { cwd: dir });
  assert.ok(files.length > 0, pattern);
  for (const file of files) {
    chmodSync(join(dir, file), 0o644);
    writeFileSync(join(dir, file), change(readFileSync(join(dir, file))));
  }
}

const inOnePack = (dir: string) => runGit(['repack', '-a', '-d', '-q'], { gitDir: dir });

/** Ways to damage the repository of a project with files, two branches, a tag and a merge request; each gets its folder. */
export const DAMAGES: Record<string, (dir: string) => Promise<void> | void> = {
  'a ref without content': (dir) => truncateSync(join(dir, 'refs/heads/main')),
  'objects without content': (dir) => rewrite(dir, 'objects/[0-9a-f][0-9a-f]/*', () => Buffer.alloc(0)),
  'objects of which bytes were changed': (dir) =>
    rewrite(dir, 'objects/[0-9a-f][0-9a-f]/*', (bytes) =>
      Buffer.from(bytes.map((byte, at) => (at > 8 ? byte ^ 0x55 : byte))),
    ),
  'a pack of which bytes were changed': async (dir) => {
    await inOnePack(dir);
    rewrite(dir, 'objects/pack/*.pack', (bytes) =>
      Buffer.from(bytes.map((byte, at) => (at > 12 && at < bytes.length - 20 ? byte ^ 0x55 : byte))),
    );
  },
  'a pack without its index': async (dir) => {
    await inOnePack(dir);
    for (const file of globSync('objects/pack/*.idx', { cwd: dir })) rmSync(join(dir, file));
  },
  'an index without its pack': async (dir) => {
    await inOnePack(dir);
    for (const file of globSync('objects/pack/*.pack', { cwd: dir })) rmSync(join(dir, file));
  },
  'an index that was cut': async (dir) => {
    await inOnePack(dir);
    rewrite(dir, 'objects/pack/*.idx', (bytes) => bytes.subarray(0, 100));
  },
  'no HEAD': (dir) => rmSync(join(dir, 'HEAD')),
  'no folder': (dir) => rmSync(dir, { recursive: true }),
};

const commitBody = (branch: string) => ({
  branch,
  commit_message: 'x',
  actions: [{ action: 'create', file_path: `new-${branch}`, content: 'x' }],
});

/** What is asked of the damaged project: method, path below it, body. */
export const QUESTIONS: readonly (readonly [string, string, object?])[] = [
  ['GET', ''],
  ['GET', '/repository/branches'],
  ['GET', '/repository/branches/main'],
  ['GET', '/repository/tags'],
  ['GET', '/repository/tags/v1'],
  ['GET', '/repository/commits'],
  ['GET', '/repository/commits/main'],
  ['GET', '/repository/commits/main/diff'],
  ['GET', '/repository/tree'],
  ['GET', '/repository/tree?recursive=true&ref=main'],
  ['GET', '/repository/files/folder%2Fa.txt?ref=main'],
  ['GET', '/repository/files/folder%2Fa.txt/raw?ref=main'],
  ['GET', '/repository/files/folder%2Fa.txt/blame?ref=main'],
  ['GET', '/repository/compare?from=main&to=topic'],
  ['GET', '/repository/contributors'],
  ['GET', '/repository/merge_base?refs[]=main&refs[]=topic'],
  ['GET', '/repository/archive.tar.gz?sha=main'],
  ['GET', '/languages'],
  ['GET', '/merge_requests'],
  ['GET', '/merge_requests/1'],
  ['GET', '/merge_requests/1/diffs'],
  ['GET', '/merge_requests/1/commits'],
  ['GET', '/merge_requests/1/changes'],
  ['GET', '/events'],
  ['GET', '/protected_branches'],
  ['POST', '/repository/branches?branch=fresh&ref=main'],
  ['POST', '/repository/tags?tag_name=v2&ref=main'],
  ['POST', '/repository/commits', commitBody('main')],
  ['PUT', '/repository/files/folder%2Fa.txt', { branch: 'main', commit_message: 'x', content: 'x' }],
  ['DELETE', '/repository/files/folder%2Fa.txt?branch=main&commit_message=x'],
  ['POST', '/merge_requests', { source_branch: 'main', target_branch: 'topic', title: 'Other' }],
  ['PUT', '/merge_requests/1/merge'],
  ['PUT', '/merge_requests/1/rebase'],
];

/** What is answered to whatever meets the damage. */
export const damageMessage = (fullPath: string): string =>
  `The repository of ${fullPath} is damaged: an administrator can run stithy doctor.`;
