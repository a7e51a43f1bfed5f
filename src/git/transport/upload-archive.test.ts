import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { uploadArchive } from './upload-archive.ts';

const BOUNDS = { maxBytes: 1_000, room: async () => () => {} };

for (const sent of ['', '0011argument']) {
  test(`a client that says ${sent === '' ? 'nothing' : 'a part of what it asks for'} is not waited for`, {
    timeout: 60_000,
  }, async (t) => {
    const input = new PassThrough();
    input.write(sent);
    const answer = uploadArchive(gitFixture(t).repo, input, BOUNDS, { idleMs: 50 });
    await assert.rejects(answer, { code: 'invalid', message: 'The request timed out.' });
    assert.ok(input.destroyed);
  });
}

test('a client that leaves before it has asked is no fault', async (t) => {
  const input = new PassThrough();
  const left = new AbortController();
  const answer = uploadArchive(gitFixture(t).repo, input, BOUNDS, { signal: left.signal });
  left.abort();
  input.destroy();
  await assert.rejects(answer, { code: 'aborted' });
});
