import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNaturalDate } from './natural-dates.ts';

const NOW = new Date('2026-06-15T23:30:00Z');

test('days as people write them', async () => {
  for (const [text, day] of [
    ['2027-02-28', '2027-02-28'],
    ['2024-02-29', '2024-02-29'],
    ['today', '2026-06-15'],
    ['tomorrow', '2026-06-16'],
    ['in 2 days', '2026-06-17'],
    ['in 3 weeks', '2026-07-06'],
    ['this Friday', '2026-06-19'],
    ['next week', '2026-06-22'],
    ['December 31st', '2026-12-31'],
    ['January 5', '2027-01-05'],
    ['12 Aug 2028', '2028-08-12'],
  ] as const) {
    assert.equal(await parseNaturalDate(text, NOW), day, text);
  }
});

test('what is no day', async () => {
  for (const text of ['', ' ', 'soon', '2026-02-30', '2026-13-01', '99999-01-01', 'tomorrow '.repeat(20)]) {
    assert.equal(await parseNaturalDate(text, NOW), null, text);
  }
});
