/** Lets a server mirror by the machine's SSH client against an unmodified sshd. Its program is the argument; address and token come from the environment. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { address, api, folder, must, run, runTests } from './support.ts';

const [program = ''] = process.argv.slice(2);
const me = userInfo().username;
const authorized = join(folder, 'authorized_keys');
writeFileSync(authorized, '', { mode: 0o600 });

interface Mirror {
  id: number;
  update_status: string;
  last_error: string | null;
  host_keys?: { fingerprint_sha256: string }[];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Makes a host key. @returns its file */
async function hostKey(name: string): Promise<string> {
  const file = join(folder, name);
  await must(folder, 'ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  return file;
}

/** Runs sshd on a port until `work` is done. */
async function withSshd(port: number, key: string, work: () => Promise<void>): Promise<void> {
  const config = join(folder, 'sshd_config');
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${key}`,
    `AuthorizedKeysFile ${authorized}`,
    `PidFile ${join(folder, 'sshd.pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const child: ChildProcess = spawn(program, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  try {
    while (!output.includes('Server listening')) {
      assert.equal(child.exitCode, null, output);
      await sleep(20);
    }
    await work();
  } finally {
    child.kill();
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  }
}

let count = 0;
/** A project with a commit, and an empty repository that sshd leads to. */
async function scene(port: number): Promise<{ id: number; path: string; work: string; there: string; remote: string }> {
  count += 1;
  const path = `ssh-${count}`;
  const { id } = await api<{ id: number }>('POST', '/projects', { path });
  const [work, there] = [join(folder, path), join(folder, `${path}.git`)];
  mkdirSync(work);
  await must(work, 'git', ['init', '--quiet', '--initial-branch=main']);
  await must(work, 'git', ['commit', '--quiet', '--allow-empty', '-m', 'First']);
  await must(work, 'git', ['push', '--quiet', address(`root/${path}`), 'main']);
  await must(folder, 'git', ['init', '--quiet', '--bare', '--initial-branch=main', there]);
  return { id, path, work, there, remote: `ssh://${me}@127.0.0.1:${port}${there}` };
}

/** How a mirror stands once an update has ended that began after now. */
async function ended(path: string, begin: () => Promise<unknown>): Promise<Mirror> {
  const before = await api<Mirror & { last_update_at: string | null }>('GET', path).catch(() => null);
  await begin();
  for (;;) {
    const now = await api<Mirror & { last_update_at: string | null }>('GET', path);
    if (now.last_update_at !== (before?.last_update_at ?? null) && /finished|failed|to_retry/.test(now.update_status))
      return now;
    await sleep(50);
  }
}

const port = await freePort();
const [first, second] = [await hostKey('first'), await hostKey('second')];
const fingerprint = async (key: string) => (await must(folder, 'ssh-keygen', ['-l', '-f', key])).split(' ')[1];

const TESTS: Record<string, () => Promise<void>> = {
  'a push mirror signs in with its key, and knows the host again': async () => {
    const { id, path, work, there, remote } = await scene(port);
    const mirrors = `/projects/${id}/remote_mirrors`;
    const made = await api<Mirror>('POST', mirrors, { url: remote, auth_method: 'ssh_public_key' });
    const one = `${mirrors}/${made.id}`;
    const sync = () =>
      fetch(`${process.env.STITHY_URL}/api/v4${one}/sync`, {
        method: 'POST',
        headers: { 'private-token': process.env.STITHY_TOKEN ?? '' },
      });
    await withSshd(port, first, async () => {
      const stranger = await ended(one, () => api('PUT', one, { enabled: true }));
      assert.match(String(stranger.last_error), /refused the credentials/);
      const { public_key } = await api<{ public_key: string }>('GET', `${one}/public_key`);
      writeFileSync(authorized, `${public_key}\n`);
      const known = await ended(one, sync);
      assert.equal(known.last_error, null);
      assert.deepEqual(known.host_keys, [{ fingerprint_sha256: await fingerprint(first) }]);
      const head = await must(work, 'git', ['rev-parse', 'HEAD']);
      assert.equal(await must(there, 'git', ['rev-parse', 'main']), head);
    });
    await must(work, 'git', ['commit', '--quiet', '--allow-empty', '-m', 'Second']);
    await must(work, 'git', ['push', '--quiet', address(`root/${path}`), 'main']);
    await withSshd(port, second, async () => {
      const other = await ended(one, sync);
      assert.equal(other.last_error, 'The host key of the remote server has changed.');
      assert.equal(await must(there, 'git', ['rev-list', '--count', 'main']), '1\n');
    });
    await withSshd(port, first, async () => {
      assert.equal((await ended(one, sync)).last_error, null);
      assert.equal(await must(there, 'git', ['rev-list', '--count', 'main']), '2\n');
    });
  },
  'a pull mirror without the right password is refused, and tells no more': async () => {
    const { id, remote } = await scene(port);
    const mirror = `/projects/${id}/mirror/pull`;
    await withSshd(port, first, async () => {
      const state = await ended(mirror, () =>
        api('PUT', mirror, { enabled: true, url: remote, auth_password: 'open-sesame' }),
      );
      assert.equal(
        state.last_error,
        'The remote repository refused the credentials. Check the user and the password, token or key.',
      );
      assert.ok(!JSON.stringify(state).includes('open-sesame'));
    });
  },
};

assert.ok((await run(folder, 'ssh', ['-V'])).ok);
assert.ok(readFileSync(`${first}.pub`, 'utf8').startsWith('ssh-ed25519 '));
await runTests('ssh', TESTS);
