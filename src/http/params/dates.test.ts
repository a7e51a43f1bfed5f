import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseInstant } from './dates.ts';

for (const [text, instant] of [
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T10:20', '2026-01-31T10:20:00.000Z'],
  ['2026-01-31T10:20:30Z', '2026-01-31T10:20:30.000Z'],
  ['2026-01-31 10:20:30', '2026-01-31T10:20:30.000Z'],
  ['2026-01-31T10:20:30.1234567+02:00', '2026-01-31T08:20:30.123Z'],
  ['2026-01-31 10:20:30 +0200', '2026-01-31T08:20:30.000Z'],
  ['2026-01-31 10:20:30 UTC', '2026-01-31T10:20:30.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
] as const) {
  test(`the instant "${text}"`, () => {
    assert.equal(parseInstant(text, false), instant);
  });
}

for (const text of [
  '',
  'yesterday',
  '2026-13-01',
  '2026-02-30',
  '2025-02-29',
  '2026-01-31T25:00',
  '2026-01-31T10:61',
  '2026-01-31T10:20:30+99:00',
  '26-01-31',
  '1767225600',
  '2026-01-31x',
  '-2026-01-31',
  '9999-12-31T23:59:59-23:00',
  '0000-01-01T00:00:00+01:00',
]) {
  test(`"${text}" is no instant`, () => {
    assert.equal(parseInstant(text, false), null);
  });
}

test('a day is the day as it was written', () => {
  assert.equal(parseInstant('2026-01-31T23:00:00-05:00', true), '2026-01-31');
});

test('every instant of the four-digit years comes back as it was', () => {
  const instant = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, (date) => {
      assert.equal(parseInstant(date.toISOString(), false), date.toISOString());
    }),
  );
});

test('no text makes it throw, and what it takes has a fixed width', () => {
  const piece = fc.constantFrom('2026', '-', '01', '31', 'T', ' ', ':', '59', '.', '+', 'Z', '0', '99');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const instant = parseInstant(pieces.join(''), false);
      assert.ok(instant === null || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(instant), String(instant));
    }),
    { numRuns: 2_000 },
  );
});
