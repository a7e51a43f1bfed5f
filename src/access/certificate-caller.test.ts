import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../test/support/app.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { outputOf } from '../../test/support/fork-server.ts';
import { noSsh, publicKey, sshKeygen } from '../../test/support/ssh-user.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import { CertificateRefused, callerOfCertificate } from './certificate-caller.ts';

const HOME = '203.0.113.7';
const YEAR = 365 * 86_400_000;

describe('whom a certificate stands for', { skip: noSsh }, () => {
  const clock = new TestClock();
  let app: TestApp;
  let folder: string;
  let group: Namespace;
  let authority: string;
  let ann: TestUser;
  let keys = 0;
  before(async () => {
    app = await buildTestApp({ clock });
    folder = mkdtempSync(join(tmpdir(), 'stithy-certificates-'));
    group = await app.make.group();
    authority = await authorityOf(group);
    ann = await app.make.user({ username: 'ann' });
    await app.make.member({ group }, ann.user, 30);
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await app.close();
  });

  const newKey = (...options: string[]): string => {
    keys += 1;
    return sshKeygen(folder, `key-${keys}`, ...(options.length === 0 ? ['-t', 'ed25519'] : options));
  };

  async function authorityOf({ id }: Namespace, ...options: string[]): Promise<string> {
    const made = newKey(...options);
    const json = { title: 'CA', key: publicKey(made) };
    expectStatus(await app.post(`/groups/${id}/ssh_certificates`, { json }), 201);
    return made;
  }

  /** A certificate for a new key in wire format. */
  function sign(options: readonly string[], by = authority): Buffer {
    const key = newKey();
    outputOf('ssh-keygen', ['-q', '-s', by, ...options, `${key}.pub`]);
    return Buffer.from(readFileSync(`${key}-cert.pub`, 'utf8').split(' ')[1]!, 'base64');
  }

  const accepted = async (blob: Buffer, address = HOME) =>
    assert.equal((await callerOfCertificate(app.deps, blob, address)).user?.username, 'ann');
  const refused = (blob: Buffer, reason: RegExp, address = HOME) =>
    assert.rejects(callerOfCertificate(app.deps, blob, address), (error) => {
      assert.ok(error instanceof CertificateRefused, String(error));
      assert.match(error.message, reason);
      return true;
    });

  test('each option that must hold is held to, or refuses it; extensions say nothing', async () => {
    for (const options of [
      [],
      ['-O', 'clear'],
      ['-O', 'no-pty', '-O', 'permit-port-forwarding'],
      ['-O', 'extension:login@example.com=root'],
      ['-O', `source-address=${HOME}/32`],
      ['-O', 'source-address=192.0.2.0/24,203.0.113.0/24'],
    ]) {
      await accepted(sign(['-I', 'ann', '-n', 'git', ...options]));
    }
    for (const [options, reason] of [
      [['-O', 'force-command=git-upload-pack x'], /critical option force-command/],
      [['-O', 'verify-required'], /critical option verify-required/],
      [['-O', 'critical:only-on-monday@example.com=yes'], /critical option only-on-monday@example\.com/],
      [['-O', 'source-address=192.0.2.0/24'], /not valid for this address/],
      [['-O', 'source-address=2001:db8::/32'], /not valid for this address/],
      [['-O', `source-address=${HOME}/32`, '-O', 'force-command=x'], /critical option force-command/],
    ] as const) {
      await refused(sign(['-I', 'ann', '-n', 'git', ...options]), reason);
    }
    const six = sign(['-I', 'ann', '-O', 'source-address=2001:db8::/32']);
    await accepted(six, '2001:db8::5');
    await refused(six, /not valid for this address/, '2001:db9::5');
    const four = sign(['-I', 'ann', '-O', `source-address=${HOME}/32`]);
    await accepted(four, `::ffff:${HOME}`);
  });

  test('it is good from its first second to before its last, which may never come', async () => {
    for (const span of ['always:forever', '20200101:forever', 'always:20991231', '20260615000000Z:20260616000000Z']) {
      await accepted(sign(['-I', 'ann', '-V', span]));
    }
    await refused(sign(['-I', 'ann', '-V', '20260615120001Z:20260616000000Z']), /not valid yet/);
    await refused(sign(['-I', 'ann', '-V', '20270101:forever']), /not valid yet/);
    await refused(sign(['-I', 'ann', '-V', '20200101:20210101']), /has expired/);
    await refused(sign(['-I', 'ann', '-V', '20260601000000Z:20260615120000Z']), /has expired/);
    await accepted(sign(['-I', 'ann', '-V', '20260615120000Z:20260615120001Z']));
  });

  test('who signs has to be the authority of a group at the top, for users, and without SHA-1', async () => {
    const stranger = newKey();
    await refused(sign(['-I', 'ann'], stranger), /its authority belongs to no group/);
    await refused(sign(['-I', 'ann', '-h']), /not a user certificate/);
    const rsa = await authorityOf(group, '-t', 'rsa', '-b', '3072');
    await accepted(sign(['-I', 'ann', '-t', 'rsa-sha2-256'], rsa));
    await accepted(sign(['-I', 'ann', '-t', 'rsa-sha2-512'], rsa));
    await refused(sign(['-I', 'ann', '-t', 'ssh-rsa'], rsa), /its signature is invalid/);
    const other = await app.make.group();
    const below = await authorityOf(other);
    await app.make.member({ group: other }, ann.user, 30);
    await accepted(sign(['-I', 'ann'], below));
    const { id: parent_id } = await app.make.group();
    expectStatus(await app.post(`/groups/${other.id}/transfer`, { json: { group_id: parent_id } }), 201);
    await refused(sign(['-I', 'ann'], below), /not a member of the group/);
  });

  test('whom it names has to be a member of that group, at the time, who may sign in', async () => {
    const named = async (username: string) => {
      const { user } = await app.make.user({ username });
      return { user, blob: sign(['-I', username]) };
    };
    const stranger = await named('stranger');
    await refused(stranger.blob, /stranger is not a member of the group/);
    const guest = await named('guest');
    await app.make.member({ group }, guest.user, 10);
    await callerOfCertificate(app.deps, guest.blob, HOME);
    const temporary = await named('temporary');
    await app.make.member({ group }, temporary.user, 30, '2026-06-16');
    await callerOfCertificate(app.deps, temporary.blob, HOME);
    const blocked = await named('blocked');
    await app.make.member({ group }, blocked.user, 30);
    expectStatus(await app.post(`/users/${blocked.user.id}/block`), 201);
    await refused(blocked.blob, /blocked may not sign in/);
    const inside = await named('inside');
    const project = await app.make.project({ namespace: await app.make.group({ parent: group }) });
    await app.make.member({ project }, inside.user, 30);
    await callerOfCertificate(app.deps, inside.blob, HOME);
    clock.advance(YEAR);
    await refused(temporary.blob, /temporary is not a member of the group/);
    await refused(sign(['-I', 'nobody-here']), /it names no user/);
    await refused(sign(['-I', 'ann', '-n', 'root']), /its principals include neither git nor the username/);
  });
});
