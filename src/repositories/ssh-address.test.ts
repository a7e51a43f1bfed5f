import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../config/config.ts';
import { sshAddress } from './ssh-address.ts';

test('addresses for SSH name what clients reach: the port of the server, or what forwards to it', () => {
  for (const [settings, address] of [
    [{}, 'git@forge.example.com:a/b.git'],
    [{ STITHY_SSH_PORT: '22' }, 'git@forge.example.com:a/b.git'],
    [{ STITHY_SSH_PORT: '2222' }, 'ssh://git@forge.example.com:2222/a/b.git'],
    [{ STITHY_SSH_PORT: '2222', STITHY_SSH_EXTERNAL_URL: 'ssh://git.example.com' }, 'git@git.example.com:a/b.git'],
    [{ STITHY_SSH_EXTERNAL_URL: 'ssh://git@git.example.com:2200/' }, 'ssh://git@git.example.com:2200/a/b.git'],
    [{ STITHY_SSH_EXTERNAL_URL: 'ssh://[2001:db8::1]:22' }, 'git@[2001:db8::1]:a/b.git'],
    [{ STITHY_SSH_EXTERNAL_URL: 'ssh://[2001:db8::1]:2222' }, 'ssh://git@[2001:db8::1]:2222/a/b.git'],
  ] as const) {
    const { config, warnings } = loadConfig(settings);
    assert.deepEqual(warnings, []);
    assert.equal(sshAddress(config, 'https://forge.example.com/sub', 'a/b.git'), address);
  }
});
