import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Serialized } from './http.send.ts';
import { ImmutableResponses } from './immutable-responses.ts';

test('what is kept holds no memory beside its own', () => {
  const answers = new ImmutableResponses();
  const made = answers.set('made', { name: 'Grüße' });
  assert.equal(made.json.body.toString(), '{"name":"Grüße"}');
  assert.equal(made.json.body.buffer.byteLength, made.json.body.length);
  const given = new Serialized(Buffer.from('a text in memory that is shared'), '"tag"');
  assert.ok(given.body.buffer.byteLength > 1_000);
  const kept = answers.setBody('given', given, {});
  assert.equal(kept, answers.peek('given'));
  assert.equal(kept.json.body.toString(), 'a text in memory that is shared');
  assert.equal(kept.json.etag, '"tag"');
  assert.equal(kept.json.body.buffer.byteLength, kept.json.body.length);
});
