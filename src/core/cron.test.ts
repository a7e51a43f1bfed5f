import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CronSchedule } from './cron.ts';
import { zoneName } from './time-zones.ts';

const at = (text: string) => new Date(text);
const next = (line: string, zone: string, from: string) =>
  CronSchedule.parse(line, zone)?.next(at(from))?.toISOString();

test('times are those of the zone, also where its clocks change', () => {
  assert.equal(next('0 4 * * *', 'UTC', '2026-06-15T04:00:00Z'), '2026-06-16T04:00:00.000Z');
  assert.equal(next('0 4 * * *', 'Berlin', '2026-06-15T12:00:00Z'), '2026-06-16T02:00:00.000Z');
  assert.equal(next('0 4 * * *', 'Europe/Berlin', '2026-12-15T12:00:00Z'), '2026-12-16T03:00:00.000Z');
  assert.equal(next('30 2 * * *', 'Eastern Time (US & Canada)', '2026-03-08T05:00:00Z'), '2026-03-08T07:00:00.000Z');
  assert.equal(
    CronSchedule.parse('0 4 * * *', 'UTC')?.previous(at('2026-06-15T04:00:01Z'))?.toISOString(),
    '2026-06-15T04:00:00.000Z',
  );
});

test('lines as cron reads them', () => {
  assert.equal(next('0 5 * * mon#2', 'UTC', '2026-06-15T12:00:00Z'), '2026-07-13T05:00:00.000Z');
  assert.equal(next('0 5 L * *', 'UTC', '2026-06-15T12:00:00Z'), '2026-06-30T05:00:00.000Z');
  assert.equal(next('*/20 8-9 * * 1-5', 'UTC', '2026-06-15T09:40:00Z'), '2026-06-16T08:00:00.000Z');
  assert.equal(next('0 0 * * 7', 'UTC', '2026-06-15T12:00:00Z'), '2026-06-21T00:00:00.000Z');
  assert.equal(next('0 0 1 * MON', 'UTC', '2026-06-15T12:00:00Z'), '2026-06-22T00:00:00.000Z');
  assert.equal(next('@daily', 'UTC', '2026-06-15T12:00:00Z'), '2026-06-16T00:00:00.000Z');
});

test('what is no time is refused: wrong fields, days that never come, seconds, zones that are none', () => {
  for (const line of ['', 'x', '60 * * * *', '* * * *', '* * * * * *', '0 0 30 2 *', `0 0 * * ${'1,'.repeat(200)}1`]) {
    assert.equal(CronSchedule.parse(line, 'UTC'), null, line);
  }
  for (const zone of ['', 'Nowhere/Place', '+02:00', '__proto__', 'constructor']) {
    assert.equal(CronSchedule.parse('0 4 * * *', zone), null, zone);
  }
});

test('every zone that people know is in the zone database', () => {
  for (const name of ["Nuku'alofa", 'Pacific Time (US & Canada)', 'Kyiv', 'Astana', 'St. Petersburg', 'Greenland']) {
    assert.notEqual(zoneName(name), null, name);
  }
});
