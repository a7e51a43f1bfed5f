/** Drives a server with the unmodified git-lfs. Its program is the argument; address and token come from the environment. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { address, api, folder, must, run, runTests } from './support.ts';

const [program = ''] = process.argv.slice(2);
const env = { PATH: `${dirname(program)}:${process.env.PATH ?? ''}` };

const git = (cwd: string, ...args: string[]) => must(cwd, 'git', args, env);

async function fails(cwd: string, ...args: string[]): Promise<string> {
  const { ok, text } = await run(cwd, 'git', args, env);
  assert.ok(!ok, `git ${args.join(' ')} was not refused: ${text}`);
  return text;
}

/** A Developer of the project, by a token. */
async function developer(projectId: number, name: string): Promise<string> {
  const password = randomBytes(12).toString('base64url');
  const user = await api<{ id: number }>('POST', '/users', {
    username: name,
    name,
    email: `${name}@example.org`,
    password,
    skip_confirmation: true,
  });
  await api('POST', `/projects/${projectId}/members`, { user_id: user.id, access_level: 30 });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const made = await api<{ token: string }>('POST', `/users/${user.id}/personal_access_tokens`, {
    name: 'lfs',
    scopes: ['write_repository'],
    expires_at,
  });
  return made.token;
}

let count = 0;
/** A project with `model.bin` in LFS on `main`, and a work tree of its owner. */
async function project(): Promise<{ id: number; path: string; dir: string; content: Buffer }> {
  count += 1;
  const path = `lfs-${count}`;
  const { id } = await api<{ id: number }>('POST', '/projects', { path });
  const dir = join(folder, path);
  await git(folder, 'init', '--quiet', '--initial-branch=main', dir);
  await git(dir, 'lfs', 'install', '--local');
  await git(dir, 'lfs', 'track', '--lockable', '*.bin');
  const content = randomBytes(300_000);
  writeFileSync(join(dir, 'model.bin'), content);
  await git(dir, 'add', '--all');
  await git(dir, 'commit', '--quiet', '-m', 'A model');
  await git(dir, 'remote', 'add', 'origin', address(`root/${path}`));
  await git(dir, 'push', '--quiet', 'origin', 'main');
  return { id, path: `root/${path}`, dir, content };
}

async function clone(path: string, secret: string, name: string): Promise<string> {
  const dir = join(folder, name);
  await git(
    folder,
    '-c',
    'filter.lfs.smudge=git-lfs smudge -- %f',
    '-c',
    'filter.lfs.process=git-lfs filter-process',
    'clone',
    '--quiet',
    address(path, secret),
    dir,
  );
  await git(dir, 'lfs', 'install', '--local');
  return dir;
}

/** The key of the administrator, and how git and git-lfs use it. */
async function sshKey(): Promise<Record<string, string>> {
  const file = join(folder, 'id');
  await must(folder, 'ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'lfs', '-f', file]);
  await api('POST', '/user/keys', { title: 'lfs', key: readFileSync(`${file}.pub`, 'utf8').trim() });
  const options = ['UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=no', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
  return { GIT_SSH_COMMAND: ['ssh -F /dev/null', ...options.map((option) => `-o ${option}`), `-i ${file}`].join(' ') };
}

const TESTS: Record<string, () => Promise<void>> = {
  'over SSH it transfers with a pass that it asks for, and locks, and is told that there is no other way': async () => {
    const { id, dir } = await project();
    const { ssh_url_to_repo } = await api<{ ssh_url_to_repo: string }>('GET', `/projects/${id}`);
    assert.match(ssh_url_to_repo, /^ssh:\/\/git@127\.0\.0\.1:\d+\//);
    const ssh: Record<string, string> = { ...env, ...(await sshKey()) };
    const over = (cwd: string, ...args: string[]) => must(cwd, 'git', args, ssh);
    await over(dir, 'remote', 'set-url', 'origin', ssh_url_to_repo);
    const content = randomBytes(200_000);
    writeFileSync(join(dir, 'over-ssh.bin'), content);
    await over(dir, 'add', '--all');
    await over(dir, 'commit', '--quiet', '-m', 'Over SSH');
    await over(dir, 'push', '--quiet', 'origin', 'main');
    const copy = join(folder, 'over-ssh');
    const filters = ['filter.lfs.smudge=git-lfs smudge -- %f', 'filter.lfs.process=git-lfs filter-process'];
    await over(folder, ...filters.flatMap((each) => ['-c', each]), 'clone', '--quiet', ssh_url_to_repo, copy);
    assert.deepEqual(readFileSync(join(copy, 'over-ssh.bin')), content);
    await over(copy, 'lfs', 'install', '--local');
    await over(copy, 'lfs', 'lock', 'over-ssh.bin');
    assert.match(await over(copy, 'lfs', 'locks'), /over-ssh\.bin/);
    await over(copy, 'lfs', 'unlock', 'over-ssh.bin');
    const bare = join(folder, 'without-files');
    await over(folder, 'clone', '--quiet', '--bare', ssh_url_to_repo, bare);
    // The protocol that does without HTTP, which git-lfs tries first, and here takes alone.
    const alone = ['-c', `lfs.${ssh_url_to_repo}.sshtransfer=always`, 'lfs', 'fetch', '--all', 'origin'];
    const refused = await run(bare, 'git', alone, ssh);
    assert.ok(!refused.ok, refused.text);
    // It was refused that, and may not ask for a pass.
    assert.match(refused.text, /git-lfs-authenticate has been disabled by request/);
    const gone = join(folder, 'nobody');
    await must(folder, 'ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'nobody', '-f', gone]);
    const stranger = { ...env, GIT_SSH_COMMAND: ssh.GIT_SSH_COMMAND!.replace(join(folder, 'id'), gone) };
    const unknown = await run(bare, 'git', ['lfs', 'fetch', '--all', 'origin'], stranger);
    assert.ok(!unknown.ok, unknown.text);
    assert.match(unknown.text, /Permission denied/);
  },
  'what one pushes, another clones': async () => {
    const { id, path, content } = await project();
    const dir = await clone(path, await developer(id, 'reader'), 'copy-1');
    assert.deepEqual(readFileSync(join(dir, 'model.bin')), content);
    assert.match(await git(dir, 'lfs', 'ls-files'), /model\.bin/);
    await git(dir, 'lfs', 'fsck');
  },
  'a push without the objects is refused, and mended by git lfs push --all': async () => {
    const { dir } = await project();
    writeFileSync(join(dir, 'second.bin'), randomBytes(10_000));
    await git(dir, 'add', '--all');
    await git(dir, 'commit', '--quiet', '-m', 'Another');
    const shown = await fails(dir, '-c', 'core.hooksPath=/dev/null', 'push', 'origin', 'main');
    assert.match(shown, /LFS objects are missing\. Ensure LFS is properly set up/);
    await git(dir, 'lfs', 'push', '--all', 'origin');
    await git(dir, '-c', 'core.hooksPath=/dev/null', 'push', '--quiet', 'origin', 'main');
  },
  'a locked file can be pushed by who locked it alone': async () => {
    const { id, path, dir } = await project();
    const secret = await developer(id, 'colleague');
    const copy = await clone(path, secret, 'copy-2');
    await git(dir, 'lfs', 'lock', 'model.bin');
    assert.match(await git(copy, 'lfs', 'locks'), /model\.bin\s+Administrator\s+ID:\d+/);
    assert.match(await git(dir, 'lfs', 'locks', '--verify'), /O model\.bin/);
    assert.match(await fails(copy, 'lfs', 'lock', 'model.bin'), /already locked/);
    await git(copy, 'checkout', '--quiet', '-b', 'feature');
    chmodSync(join(copy, 'model.bin'), 0o644);
    writeFileSync(join(copy, 'model.bin'), randomBytes(1_000));
    await git(copy, 'commit', '--quiet', '--all', '-m', 'Mine');
    // The client itself refuses; without its look at the locks the server does.
    assert.match(await fails(copy, 'push', 'origin', 'feature'), /model\.bin - Administrator/);
    const unlooked = ['-c', 'lfs.locksverify=false'];
    const shown = await fails(
      copy,
      ...unlooked,
      '-c',
      `lfs.${address(path, secret)}/info/lfs.locksverify=false`,
      'push',
      'origin',
      'feature',
    );
    assert.match(shown, /The path 'model\.bin' is locked in Git LFS by Administrator/);
    assert.match(await fails(copy, 'lfs', 'unlock', 'model.bin', '--force'), /maintainer access|locked by/);
    await git(dir, 'lfs', 'unlock', 'model.bin');
    await git(copy, 'push', '--quiet', 'origin', 'feature');
    await git(copy, 'lfs', 'lock', 'model.bin');
    await git(dir, 'lfs', 'unlock', '--force', 'model.bin');
    assert.equal((await git(dir, 'lfs', 'locks')).trim(), '');
  },
};

await runTests('git-lfs', TESTS);
