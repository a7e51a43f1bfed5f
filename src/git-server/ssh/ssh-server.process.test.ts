import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { apiClient } from '../../../test/support/api-client.ts';
import { mustGit } from '../../../test/support/git-client.ts';
import { type ServerProcess, startServer } from '../../../test/support/server-process.ts';
import { noSsh, publicKey, sshKeygen } from '../../../test/support/ssh-user.ts';

const TOKEN = 'glpat-known-beforehand';

describe('a server of git over SSH as operators run it', { skip: noSsh }, () => {
  let folder: string;
  let server: ServerProcess | undefined;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'stithy-ssh-'));
  });
  after(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const settings = { STITHY_SSH_PORT: '0', STITHY_ROOT_TOKEN: TOKEN };
  const start = () => startServer({ dataDir: join(folder, 'data'), settings });
  const portOf = ({ greeting }: ServerProcess) =>
    /SSH: +ssh:\/\/git@127\.0\.0\.1:(\d+)\/<path>\.git/.exec(greeting)![1]!;
  const fingerprintOf = ({ greeting }: ServerProcess) =>
    /Host key: (SHA256:\S{43}) \(ssh-ed25519\)/.exec(greeting)![1]!;

  test('what was pushed is there after SIGKILL, clients know the server again, and doctor tells of it', async () => {
    server = await start();
    const fingerprint = fingerprintOf(server);
    const key = sshKeygen(folder, 'key', '-t', 'ed25519');
    const api = apiClient(server.url, TOKEN);
    assert.equal((await api('POST', '/user/keys', { title: 'k', key: publicKey(key) })).status, 201);
    assert.equal((await api('POST', '/projects', { name: 'p' })).status, 201);
    const ssh = (port: string) =>
      ['ssh', '-F', '/dev/null', '-i', key, '-p', port, '-o', 'IdentitiesOnly=yes', '-o', 'LogLevel=ERROR']
        .concat('-o', `UserKnownHostsFile=${join(folder, 'known')}`, '-o', 'HostKeyAlias=forge')
        .concat('-o', 'StrictHostKeyChecking=accept-new')
        .join(' ');
    const tree = join(folder, 'tree');
    await mustGit(folder, ['init', '--quiet', '--initial-branch=main', tree]);
    await mustGit(tree, ['commit', '--quiet', '--allow-empty', '--message', 'First']);
    const address = 'ssh://git@127.0.0.1/root/p.git';
    const git = (...args: string[]) => mustGit(tree, ['-c', `core.sshCommand=${ssh(portOf(server!))}`, ...args]);
    await git('push', '--quiet', address, 'main');
    await server.kill();
    server = await start();
    assert.equal(fingerprintOf(server), fingerprint);
    assert.match(await git('ls-remote', address), /refs\/heads\/main/);
    await server.stop();
    const doctor = await new Promise<string>((done) => {
      const env = { PATH: process.env.PATH ?? '', STITHY_DATA_DIR: join(folder, 'data'), STITHY_SSH_PORT: '2222' };
      execFile(process.execPath, [resolve('bin/stithy.js'), 'doctor'], { env }, (_error, stdout) => done(stdout));
    });
    assert.ok(doctor.includes(`Git over SSH at 127.0.0.1, port 2222: host keys ${fingerprint} (ssh-ed25519)`), doctor);
    assert.match(doctor, /No problems found/);
  });
});
