import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';

const DOCUMENT = new URL('../../docs/testing.md', import.meta.url);

let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  app.deps.jobs.start();
  await app.make.project();
});
after(() => app.close());

/** Requests in blocks of `http`, as `METHOD address` with a body of JSON in the lines below. */
function requestsIn(document: string): { method: string; address: string; body: string }[] {
  const blocks = [...document.matchAll(/^```http\n(.*?)^```$/gms)].map(([, block]) => block!);
  return blocks
    .flatMap((block) => block.trim().split(/\n\n+/))
    .map((text) => {
      const [line = '', ...body] = text.split('\n');
      const [method = '', ...address] = line.split(' ');
      return { method, address: address.join(' '), body: body.join('\n') };
    });
}

test('every request in the document is answered as it stands there', async () => {
  const requests = requestsIn(readFileSync(DOCUMENT, 'utf8'));
  assert.ok(requests.length >= 10);
  for (const { method, address, body } of requests) {
    const options = body === '' ? {} : { json: JSON.parse(body) as unknown };
    const answer = await app.request(method, encodeURI(address), options);
    assert.ok(answer.statusCode >= 200 && answer.statusCode < 300, `${method} ${address}: ${answer.body}`);
  }
});
