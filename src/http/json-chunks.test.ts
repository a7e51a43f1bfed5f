import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { turnsDuring } from '../../test/support/turns.ts';
import { inScope } from '../core/request-scope.ts';
import { Serialized } from './http.send.ts';
import { serializeInChunks } from './json-chunks.ts';

const value = Array.from({ length: 200_000 }, (_, n) => ({ n, text: `ä line "${n}"` }));
function* pieces(): Generator<string> {
  yield '[';
  for (const [at, each] of value.entries()) yield `${at === 0 ? '' : ','}${JSON.stringify(each)}`;
  yield ']';
}

describe('a body of JSON made in parts', () => {
  test('is what it would be made at once, and others have their turn', async () => {
    const whole = Serialized.of(value);
    let made: Serialized | null = null;
    const turns = await turnsDuring(async () => {
      made = await serializeInChunks(pieces(), Number.POSITIVE_INFINITY);
    });
    assert.ok(whole.body.equals(made!.body));
    assert.equal(made!.etag, whole.etag);
    assert.ok(turns > 10, `${turns} turns`);
  });

  test('has no more bytes than it may', async () => {
    const { length } = Serialized.of(value).body;
    assert.equal(await serializeInChunks(pieces(), length - 1), null);
    assert.equal((await serializeInChunks(pieces(), length))?.body.length, length);
  });

  test('takes its share of the memory of all', async () => {
    let held = 0;
    const memory = {
      hold: async (bytes: number) => {
        held += bytes;
      },
    };
    await inScope({ memory } as never, () => serializeInChunks(pieces(), Number.POSITIVE_INFINITY));
    assert.ok(held >= Serialized.of(value).body.length, `${held} bytes`);
    await assert.rejects(
      inScope({ signal: AbortSignal.abort(new Error('gone')) } as never, () =>
        serializeInChunks(pieces(), Number.POSITIVE_INFINITY),
      ),
      /gone/,
    );
  });
});
