import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, parseExpiry } from './ci.durations.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

for (const [text, seconds] of [
  ['42', 42],
  ['90 seconds', 90],
  ['3 mins 4 sec', 184],
  ['2 hrs 20 min', 2 * HOUR + 20 * 60],
  ['2h20min', 2 * HOUR + 20 * 60],
  ['1h30m', 1.5 * HOUR],
  ['1.5 hours', 1.5 * HOUR],
  ['1 day', DAY],
  ['Day', DAY],
  ['3 weeks and 2 days', 23 * DAY],
  ['three weeks', 21 * DAY],
  ['6 mos 1 day', 181 * DAY],
  ['1 month', 30 * DAY],
  ['1 yr', 365.25 * DAY],
  ['1 day, 2 hours', 26 * HOUR],
  ['1:30:00', 1.5 * HOUR],
  ['4:30', 270],
  ['5 6 minutes', 360],
  ['1 hour 30', HOUR + 30],
] as const) {
  test(`${text} is ${seconds} seconds`, () => assert.equal(parseDuration(text), seconds));
}

for (const text of ['', '0', '0 days', 'soon', '1 fortnight', '-', 'never', '$TIME', '1e400 days', '9'.repeat(300)]) {
  test(`"${text.slice(0, 20)}" is no duration`, () => assert.equal(parseDuration(text), null));
}

test('an expiry may be never', () => {
  assert.equal(parseExpiry('Never'), 'never');
  assert.equal(parseExpiry('1 week'), 7 * DAY);
  assert.equal(parseExpiry('later'), null);
});
