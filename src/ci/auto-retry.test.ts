import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRetried } from './auto-retry.ts';

const SCRIPT = { reason: 'script_failure', exitCode: 3 } as const;

test('a job runs again as often as it says', () => {
  const retry = { max: 2, when: null, exitCodes: null };
  assert.deepEqual(
    [0, 1, 2].map((retries) => isRetried(retry, SCRIPT, retries)),
    [true, true, false],
  );
  assert.equal(isRetried({ ...retry, max: 0 }, SCRIPT, 0), false);
});

test('a job that says nothing runs again only when it could not be handed out', () => {
  assert.equal(isRetried(null, SCRIPT, 0), false);
  const failure = { reason: 'scheduler_failure', exitCode: null } as const;
  assert.deepEqual(
    [0, 1, 2].map((retries) => isRetried(null, failure, retries)),
    [true, true, false],
  );
});

test('a job may say after which failures and exit codes it runs again', () => {
  const by = (when: string[] | null, exitCodes: number[] | null) => isRetried({ max: 1, when, exitCodes }, SCRIPT, 0);
  assert.equal(by(['script_failure'], null), true);
  assert.equal(by(['runner_system_failure'], null), false);
  assert.equal(by(['always'], null), true);
  assert.equal(by(null, [3]), true);
  assert.equal(by(null, [4]), false);
  assert.equal(by(['runner_system_failure'], [3]), true);
  assert.equal(isRetried({ max: 1, when: null, exitCodes: [3] }, { reason: 'api_failure', exitCode: null }, 0), false);
});

test('what another run would not mend is not tried again', () => {
  for (const reason of ['no_matching_runner', 'missing_dependency_failure', 'ci_quota_exceeded'] as const) {
    assert.equal(isRetried({ max: 2, when: ['always'], exitCodes: null }, { reason, exitCode: null }, 0), false);
  }
});
