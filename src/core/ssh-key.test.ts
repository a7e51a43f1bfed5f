import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSshKey, SshKeyError } from './ssh-key.ts';

const KEYS = {
  rsa1024:
    'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC2bEwnmdK9B3jYYDer6NOgh6LkG3jBwRuOK7cu7qU9FTeG/gjusAqPnlrFhl9iXwqPkjmgmViL0tuL3u9JfEQIicVfayTozl1uVqwuBlpj6Kgj3QLb0RM6CFBEqR67QmYReYLrLcuD9lXHlAeoKTtGoxt/dGvuk3A+pHqLqTI/DQ== rsa 1024 of ada',
  rsa2048:
    'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCYYKuMXIgbc7s00K5B49RU5roW60BM84DEu4IqJ7gQ97TlnX5vyyu11CuiOcmd/MncSLTrTfH+4Ql1gMQAqHek8X9B8/+d/EQJe0cbqyAp6T1pidBfhPMGuHlIr6B56HyapMDN3GV+2KLwZv+di3HP6jeJtFUbbqbzkblnX2N6C3lxoVBuuT8yGZOWyK80tHS7qnXbKILqbxfs5yQtgqSDQVVaLajJ7RMG2XUaWxgCdbPk3Zo+I1T0NkTFHW0Iwp7dqIdLgen1dfkHnGkba+it1qWhx/JDR1mrXmwh8UFk9ogKd5heUj6uiPsZS4j5+jPdZftobtAtUKFmjURRg6r9 rsa 2048 of ada',
  ed25519: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB8+R37olnXByZW43xVaNUAmO5bHhL31msTobcd7UKxw ed25519 256 of ada',
  ecdsa256:
    'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJI/a1pHtoteW7lqA+U/qnw1f0dFpbEGyPeAoruQwmn23y4x34LxyWEfERcRdpxGxIalH9Uj2juhIu1J+URDJks= ecdsa 256 of ada',
  ecdsa384:
    'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBG39hqJFCLFK8Kh7LZJofcEEj7TYs9lTEILgy23SnucAK7B7O5pDV/RhCHbSSR5lne+cPX8tgAqFXxtXignukZKKM6mbrd/VL1t4C1vccgprVrE2cUyPQZFXmgw2EJpAUg== ecdsa 384 of ada',
  ecdsa521:
    'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAFCT0HwEzt48RkOvCkyQxhoOkQckiiZIzDr0Sb4HXJXtt/su2h2ZPrXU/UlLSOTIr3W9gkHdN4awpTOYkJRhm2WlQE9Iva3qpDKAjU60U1d/cLys+6e3PIq8cpMeSFcAbM2jG6AGWcIQKx8H4xsoTHZdg3AyeN38zqlNf//iGeUGUmTOQ== ecdsa 521 of ada',
  dsa: 'ssh-dss AAAAB3NzaC1kc3MAAACBANQO7VC9f/FvgzTJML7/7NViXmirl8lQPGc/uRsC5SbgjZHdu1CCgLRFnUBOwoZTgRju13o32XqNyHmCABVEfQwKuYCNtgwQ3nUQgwZxAG3K7iKOjaSkzHXG9Nm6wFDysBkDaha8Wsr7KsV86O/0wfyKb/s0ydqPyh6LhSH4/3alAAAAFQDjyAIdWQE+SgZLRYNn8l4q2OuumQAAAIBrHlh0bRMlarUXDqIahHXtpTve2IfLeahQE8MPII2oI1lN2cxtPWEg9SVdpOYPjKggRjap+2MjQmaJxh4uGFnWGjuW9IUjHS1ySAzwvRZ13YPK2aWkyvcqRNgIIacJ2DeuBBt6yfbFLu6I/n6yBSGAp2W5QaFE0d38hUeK2sCJNQAAAIEAlWVvc/nUetDKHHjGbPFaV2as0gofcvlxaWc9sutkPngttyxjHuJXt9J3bQUKrgIxmWMSDP4TmLaldeNeyvCyuPX6urT09MI6eqnwT3JvngafR5VpiiSdnBDfdCjwErJsXLaObN4qjtjFPGEzkmvgnK57FyQNNRm7UzIRvyP2CBE= root@vm',
};

/** Type, bits and fingerprints as `ssh-keygen -l` prints them. */
const KNOWN = [
  [
    'rsa2048',
    'ssh-rsa',
    2048,
    '3s4kCuXsfvrSLZaJlVoqxmFyjxbfZgUwdLFJIgnxxoQ',
    'dc:c2:42:dd:6c:d3:11:4d:83:b6:1a:c7:e1:c5:28:4c',
  ],
  [
    'ed25519',
    'ssh-ed25519',
    256,
    'Z5oz8MIrTF71FmDfsJvbzj/NjrHFZnVv0fhn1kWh40s',
    'c5:3e:b2:97:34:2f:30:a9:87:5d:24:a6:54:04:a6:db',
  ],
  [
    'ecdsa256',
    'ecdsa-sha2-nistp256',
    256,
    'GDz3fdGcxDPB2I0oS+uRRVxdM9b3TrwSs//4kmmr2qg',
    'dd:b5:7f:a5:ed:9b:a5:05:b3:ae:07:15:fc:e7:aa:a3',
  ],
  [
    'ecdsa384',
    'ecdsa-sha2-nistp384',
    384,
    'BycuYXCk0IP1pcuQ9fSMyUvnMuPRLOJQlwWlOlRfHPM',
    'fc:ed:92:a8:36:c1:86:f9:c0:15:0a:77:af:01:10:65',
  ],
  [
    'ecdsa521',
    'ecdsa-sha2-nistp521',
    521,
    'RB9bJfF9qoU+KO3oWuAbfR5br1d46C7wr+sPvehgOog',
    '9b:e3:53:e4:66:13:c6:1c:99:e9:d9:ec:7d:ed:6d:df',
  ],
] as const;

const refused = (text: string, message = 'is invalid') =>
  assert.throws(
    () => parseSshKey(text),
    (error: unknown) => error instanceof SshKeyError && error.message === message,
    text.slice(0, 60),
  );

/** A key line with the given fields, each with a length prefix. */
function lineOf(type: string, fields: readonly (string | Buffer)[], rest = ''): string {
  const parts = [type, ...fields].flatMap((field) => {
    const bytes = typeof field === 'string' ? Buffer.from(field, 'latin1') : field;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return `${type} ${Buffer.concat([...parts, Buffer.from(rest)]).toString('base64')}`;
}

for (const [name, type, bits, sha256, md5] of KNOWN) {
  test(`a ${type} key of ${bits} bits is read with its fingerprints`, () => {
    const key = parseSshKey(KEYS[name]);
    assert.deepEqual(
      { type: key.type, bits: key.bits, sha256: key.sha256, md5: key.md5, line: key.line },
      { type, bits, sha256: `SHA256:${sha256}`, md5, line: KEYS[name] },
    );
    assert.match(key.comment, / of ada$/);
  });
}

test('blanks around and inside the line do not matter, a comment may be missing', () => {
  const [type, body] = KEYS.ed25519.split(' ');
  const key = parseSshKey(`  ${type}\t ${body}  \n`);
  assert.equal(key.line, `${type} ${body}`);
  assert.equal(key.comment, '');
  assert.equal(parseSshKey(`${type} ${body}   two  words`).comment, 'two  words');
});

test('keys on security tokens are read', () => {
  const point = Buffer.from(KEYS.ecdsa256.split(' ')[1]!, 'base64').subarray(-65);
  assert.equal(parseSshKey(lineOf('sk-ssh-ed25519@openssh.com', [Buffer.alloc(32, 7), 'ssh:'])).bits, 256);
  assert.equal(parseSshKey(lineOf('sk-ecdsa-sha2-nistp256@openssh.com', ['nistp256', point, 'ssh:'])).bits, 256);
  refused(lineOf('sk-ssh-ed25519@openssh.com', [Buffer.alloc(32, 7)]));
});

test('DSA keys are forbidden by name, short RSA keys by length', () => {
  refused(KEYS.dsa, 'type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK');
  refused(KEYS.rsa1024, 'length must be at least 2048 bits');
});

test('what is no key is refused', () => {
  const [type, body] = KEYS.ed25519.split(' ') as [string, string];
  refused('');
  refused('ssh-ed25519');
  refused('hello world');
  refused(`${type} not*base64`);
  refused(`${type} ${body.slice(0, -4)}`);
  refused(`command="id" ${KEYS.ed25519}`);
  refused(`${KEYS.ed25519}\n${KEYS.ecdsa256}`);
  refused(`${type} ${body} a\0b`);
  refused(`constructor ${body}`);
  refused(`ssh-rsa ${body}`);
  refused(`ssh-ed25519-cert-v01@openssh.com ${body}`);
  refused('-----BEGIN OPENSSH PRIVATE KEY-----');
  refused(`${KEYS.ed25519} ${'x'.repeat(20_000)}`);
});

test('a body that does not fit its type is refused', () => {
  refused(lineOf('ssh-ed25519', [Buffer.alloc(31)]));
  refused(lineOf('ssh-ed25519', [Buffer.alloc(32)], 'more'));
  refused(lineOf('ssh-rsa', ['', '']));
  refused(lineOf('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(257, 0xff)]));
  refused(lineOf('ssh-rsa', [Buffer.from([2]), Buffer.concat([Buffer.from([0]), Buffer.alloc(256, 0xff)])]));
  refused(lineOf('ssh-rsa', [Buffer.from([1]), Buffer.concat([Buffer.from([0]), Buffer.alloc(256, 0xff)])]));
  refused(lineOf('ecdsa-sha2-nistp256', ['nistp384', Buffer.alloc(65, 4)]));
  // Right length, but not a point of the curve.
  refused(lineOf('ecdsa-sha2-nistp256', ['nistp256', Buffer.alloc(65, 4)]));
  // A length that runs past the end.
  refused(`ssh-ed25519 ${Buffer.from('ffffffff', 'hex').toString('base64')}`);
});
