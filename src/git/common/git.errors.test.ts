import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { GitError } from './git.errors.ts';

const LOCK = "fatal: prepare: cannot lock ref 'refs/heads/b': Unable to create '/srv/x.git/refs/heads/b.lock'";

test('what is wrong around a repository is told from locks, conflicts and damage', () => {
  for (const [text, fault] of [
    ['error: file write error: No space left on device', 'disk_full'],
    [`${LOCK}: Permission denied`, 'denied'],
    [`${LOCK}: Read-only file system`, 'denied'],
    [`${LOCK}: File exists.`, null],
    ["fatal: Cannot change to '/srv/x.git': Permission denied\n", 'denied'],
    ['remote: error: Permission denied', null],
    ['git@example.org: Permission denied (publickey).', null],
    ['sh: 1: exec: git: not found', 'no_git'],
    ['sh: line 1: exec: git: not found', 'no_git'],
  ] as const) {
    assert.equal(environmentFaultOf(new GitError('failed', text)), fault, text);
  }
});

test('files that may not be used are told from other refusals of the system', () => {
  const error = (code: string, more: object) => Object.assign(new Error(code), { code, ...more });
  assert.equal(environmentFaultOf(error('EACCES', { syscall: 'open', path: '/srv/x' })), 'denied');
  assert.equal(environmentFaultOf(error('EROFS', { syscall: 'mkdir', path: '/srv/x' })), 'denied');
  assert.equal(environmentFaultOf(error('EACCES', { syscall: 'listen' })), null);
  assert.equal(environmentFaultOf(error('ERR_SQLITE_ERROR', { errcode: 8 })), 'denied');
  assert.equal(environmentFaultOf(error('ERR_SQLITE_ERROR', { errcode: 1_032 })), 'denied');
  assert.equal(environmentFaultOf(error('ERR_SQLITE_ERROR', { errcode: 2_067 })), null);
});
