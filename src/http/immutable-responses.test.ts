import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Serialized } from './http.send.ts';
import { ImmutableResponses } from './immutable-responses.ts';

test('what is kept holds no memory beside its own', () => {
  const answers = new ImmutableResponses();
  const made = answers.set('made', { name: 'Grüße' });
  assert.equal(made.json.body.toString(), '{"name":"Grüße"}');
  assert.equal(made.json.body.buffer.byteLength, made.json.body.length);
  const serialized = new Serialized(Buffer.from('a text in memory that is shared'), '"tag"');
  assert.ok(serialized.body.buffer.byteLength > 1_000);
  const cached = answers.setBody('given', serialized, {});
  assert.equal(cached, answers.peek('given'));
  assert.equal(cached.json.body.toString(), 'a text in memory that is shared');
  assert.equal(cached.json.etag, '"tag"');
  assert.equal(cached.json.body.buffer.byteLength, cached.json.body.length);
});
