import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommand } from './ssh-server.commands.ts';

const git = (path: string, service = 'upload-pack') => ({ kind: 'git', service, path });

test('commands are read as a shell would read them, and nothing in them is done by one', () => {
  for (const [line, command] of [
    [null, { kind: 'welcome' }],
    ['  ', { kind: 'welcome' }],
    ["git-upload-pack 'a/b.git'", git('a/b')],
    ["git upload-pack '/a/b.git'", git('a/b')],
    ['git-receive-pack "a/b"', git('a/b', 'receive-pack')],
    ["git-receive-pack ~/'a b.git'", git('~/a b', 'receive-pack')],
    ["git-upload-pack 'a/b.git;id'", git('a/b.git;id')],
    ['git-upload-pack $(id)', git('$(id)')],
    ['git-upload-pack "`id`"', git('`id`')],
    ["git-upload-pack 'a\nid'", git('a\nid')],
    ["git-upload-pack '-oProxyCommand=id'", git('-oProxyCommand=id')],
    ["git-upload-pack '../../../etc'", git('../../../etc')],
    ["git-upload-archive 'a/b.git'", { kind: 'archive', path: 'a/b' }],
    ['git upload-archive /a/b.git', { kind: 'archive', path: 'a/b' }],
    ['2fa_recovery_codes', { kind: 'recovery-codes' }],
    ['personal_access_token', { kind: 'access-token', words: [] }],
    [
      "personal_access_token 'my token' api,read_user 7",
      { kind: 'access-token', words: ['my token', 'api,read_user', '7'] },
    ],
    ['git-lfs-authenticate a/b.git upload', { kind: 'lfs', path: 'a/b', operation: 'upload' }],
    ['git-lfs-authenticate a/b.git download 1f', { kind: 'lfs', path: 'a/b', operation: 'download' }],
    ["git-upload-pack 'a", { kind: 'invalid', line: "git-upload-pack 'a" }],
    ['git-upload-pack a\\', { kind: 'invalid', line: 'git-upload-pack a\\' }],
    [`git-upload-pack ${'a'.repeat(5_000)}`, { kind: 'invalid', line: `git-upload-pack ${'a'.repeat(184)}` }],
  ] as const) {
    assert.deepEqual(parseCommand(line), command, String(line));
  }
  for (const line of [
    'id',
    'sh -c id',
    'scp -t /',
    'git',
    'git-upload-pack',
    "git-upload-pack ''",
    'git-upload-pack a/b; id',
    'git-upload-pack a/b && id',
    'git-upload-pack --strict a/b',
    `git-upload-pack ${'a'.repeat(2_000)}`,
    'git-receive-pack a/b --x',
    'git-shell -c "git-upload-pack a"',
    'git-lfs-transfer a/b download',
    'git-lfs-authenticate a/b',
    'git-lfs-authenticate a/b delete',
    'git-lfs-authenticate a/b upload 1 2',
    'GIT-UPLOAD-PACK a/b',
    'git config --list',
    'git-upload-pack\0 a/b',
    '2fa_recovery_codes x',
  ]) {
    assert.deepEqual(parseCommand(line), { kind: 'disallowed' }, line);
  }
});
