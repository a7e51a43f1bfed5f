import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { checkUnmodifiedSince } from './conditional.ts';

const request = (header?: string) =>
  ({ headers: header === undefined ? {} : { 'if-unmodified-since': header } }) as FastifyRequest;
const CHANGED = '2026-06-15T12:00:00.500Z';

test('a change after If-Unmodified-Since is refused with 412', () => {
  for (const header of ['Mon, 15 Jun 2026 11:59:59 GMT', '2026-06-15T12:00:00.499Z', '2020-01-01']) {
    assert.throws(() => checkUnmodifiedSince(request(header), CHANGED), {
      status: 412,
      message: '412 Precondition Failed',
    });
  }
});

test('no header, no date and a date that is not earlier let the change pass', () => {
  for (const header of [undefined, 'yesterday', 'Mon, 15 Jun 2026 12:00:00 GMT', '2026-06-15T12:00:00.500Z']) {
    checkUnmodifiedSince(request(header), CHANGED);
  }
});
