import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { runCommand } from '../../test/support/stithy-command.ts';

const DOCUMENT = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');

let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  app.deps.jobs.start();
  await app.make.project();
  await app.instance.bench!.snapshots.markStart();
});
after(() => app.close());

/** The blocks of one language. */
const blocksOf = (language: string): string[] =>
  [...DOCUMENT.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, block]) => (of === language ? [block!] : []));

/** Requests in blocks of `http`, as `METHOD address` with a body of JSON in the lines below. */
function requestsInDocument(): { method: string; address: string; body: string }[] {
  return blocksOf('http')
    .flatMap((block) => block.trim().split(/\n\n+/))
    .map((text) => {
      const [line = '', ...body] = text.split('\n');
      const [method = '', ...address] = line.split(' ');
      return { method, address: address.join(' '), body: body.join('\n') };
    });
}

test('every request in the document is answered as it stands there', async () => {
  const requests = requestsInDocument();
  assert.ok(requests.length >= 15);
  for (const { method, address, body } of requests) {
    const options = body === '' ? {} : { json: JSON.parse(body) as unknown };
    const answer = await app.request(method, encodeURI(address), options);
    assert.ok(answer.statusCode >= 200 && answer.statusCode < 300, `${method} ${address}: ${answer.body}`);
  }
});

test('every command for snapshots does what it says, as it stands there', async () => {
  const url = await app.listen();
  const env = { STITHY_PORT: new URL(url).port, STITHY_ROOT_TOKEN: ROOT_TOKEN };
  const commands = blocksOf('sh')
    .flatMap((block) => block.split('\n'))
    .filter((line) => line.startsWith('stithy bench '))
    .map((line) => line.replace(/ +#.*/, '').replace('http://127.0.0.1:8080', url).replace('"$TOKEN"', ROOT_TOKEN));
  const words = commands.map((line) => line.split(' ').slice(1));
  assert.deepEqual(
    words.map(([, command]) => command),
    ['snapshot', 'restore', 'reset'],
  );
  const names = async () => expectStatus<{ name: string }[]>(await app.get('/projects'), 200).map(({ name }) => name);
  const before = await names();
  for (const [at, line] of words.entries()) {
    const { code, stderr } = await runCommand(line, env);
    assert.deepEqual([code, stderr], [0, ''], commands[at]!);
    assert.deepEqual(await names(), before, commands[at]!);
    await app.make.project();
    assert.notDeepEqual(await names(), before);
  }
});
