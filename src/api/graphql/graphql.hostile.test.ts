import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getIntrospectionQuery } from 'graphql';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { commitFiles } from '../../../test/support/commits.ts';

interface Answer {
  data?: Record<string, never> | null;
  errors?: { message: string }[];
}

let app: TestApp;
let asked: number;
before(async () => {
  // One expensive request at once: what is asked within it must not count a second time.
  app = await buildTestApp({ settings: { STITHY_MAX_EXPENSIVE_PER_CALLER: '1' }, onQuery: () => (asked += 1) });
  const { id } = expectStatus<{ id: number }>(
    await app.post('/groups', { json: { name: 'g', path: 'g', visibility: 'public' } }),
    201,
  );
  const made = { namespace_id: id, visibility: 'public', description: 'd'.repeat(2_000) };
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'h', 'i']) {
    expectStatus(await app.post('/projects', { json: { ...made, name, initialize_with_readme: name === 'a' } }), 201);
  }
  for (const branch of ['one', 'two', 'three']) {
    await commitFiles(app, 1, { [branch]: 'x' }, { branch, start_branch: 'main', commit_message: branch });
    const request = { source_branch: branch, target_branch: 'main', title: branch };
    expectStatus(await app.post('/projects/1/merge_requests', { json: request }), 201);
  }
  await app.drain();
});
after(() => app.close());

const send = (payload: object, token: string | null = null) =>
  app.instance.server.app.inject({
    method: 'POST',
    url: '/api/graphql',
    headers: token === null ? {} : { 'private-token': token },
    payload,
  });

async function ask(query: string, { token = null as string | null, variables = {} as unknown } = {}): Promise<Answer> {
  const response = await send({ query, variables }, token);
  assert.equal(response.statusCode, 200, response.body);
  return response.json<Answer>();
}

/** Asks, and expects a refusal alone, before more is asked of the database than who asks. */
async function refused(query: string, message: RegExp, options: Parameters<typeof ask>[1] = {}): Promise<void> {
  asked = 0;
  const { data, errors } = await ask(query, options);
  assert.match(errors?.[0]?.message ?? JSON.stringify(data)?.slice(0, 500), message);
  assert.equal(data, undefined);
  assert.ok(asked < 10, `${asked} statements`);
}

/** Groups and their projects within each other. */
const nested = (levels: number, leaf = 'id'): string =>
  levels === 0 ? leaf : `group { projects { nodes { ${nested(levels - 1, leaf)} } } }`;
const project = (inner: string): string => `{ project(fullPath: "g/a") { ${inner} } }`;
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

test('lists in lists are refused by their depth', async () => {
  await refused(project(nested(13)), /^Query has depth of 41, which exceeds max depth of 20$/);
  const chain = (fields: number): string =>
    fields === 0 ? 'id' : `project { mergeRequest(iid: "1") { ${chain(fields - 1)} } }`;
  await refused(project(`mergeRequest(iid: "1") { ${chain(9)} }`), /depth of 21/);
  const { data, errors } = await ask(project(`mergeRequest(iid: "1") { ${chain(8)} }`));
  assert.equal(errors, undefined);
  assert.ok(data);
});

test('the complexity counts lists by their page size, and a token is worth 50', async () => {
  const cost = (fields: number) => `{ ${times(fields, (at) => `a${at}: __typename`)} }`;
  assert.equal((await ask(cost(250))).errors, undefined);
  await refused(cost(251), /^Query has complexity of 251, which exceeds max complexity of 250$/);
  assert.equal((await ask(cost(300), { token: ROOT_TOKEN })).errors, undefined);
  await refused(cost(301), /complexity of 301, which exceeds max complexity of 300/, { token: ROOT_TOKEN });
  const list = (first: string) =>
    `${first.includes('$') ? 'query($n: Int) ' : ''}{ project(fullPath: "g/a") { issues${first} { nodes { ${times(180, (at) => `a${at}: id`)} } } } }`;
  await refused(list(''), /complexity of 365/);
  await refused(list('(first: 100)'), /complexity of 365/);
  await refused(list('(last: 90)'), /complexity/);
  await refused(list('(first: $n)'), /complexity of 329/, { variables: { n: 80 } });
  await refused(list('(first: 1000000)'), /complexity of 365/);
  assert.equal((await ask(list('(first: 10)'))).errors, undefined);
  await refused(
    `{ project(fullPath: "g/a") { repository { ${times(130, (at) => `b${at}: branchNames(searchPattern: "*", offset: 0, limit: 100)`)} } } }`,
    /complexity of 262/,
  );
});

test('fragments count where they are spread, and those in circles are refused', async () => {
  const doubled = times(20, (at) => `fragment f${at} on Query { ...f${at + 1} ...f${at + 1} }`);
  await refused(`{ ...f0 } ${doubled} fragment f20 on Query { __typename }`, /exceeds max fields of 1000/);
  const inner = `fragment p on Project { ${times(60, (at) => `a${at}: id`)} }`;
  await refused(
    `${project(times(5, (at) => `i${at}: group { projects { nodes { ...p } } }`))} ${inner}`,
    /exceeds max complexity/,
  );
  await refused(
    `{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }`,
    /Cannot spread fragment "a" within itself/,
  );
  await refused(`${project('...a')} fragment a on Project { group { projects { nodes { ...a } } } }`, /within itself/);
  await refused(
    `{ ${'... { '.repeat(950)} __typename ${'}'.repeat(950)} } fragment a on Query { id }`,
    /^Cannot query field "id" on type "Query"\.$/,
  );
  assert.deepEqual((await ask(`{ ...a } fragment a on Query { ...b } fragment b on Query { __typename }`)).data, {
    __typename: 'Query',
  });
});

test('aliases do not make the same thing cheap', async () => {
  await refused(
    `{ ${times(80, (at) => `a${at}: group(fullPath: "g") { projects { nodes { id } } }`)} }`,
    /complexity of 560/,
  );
  const long = await send({ query: `{ ${'x'.repeat(100_001)}: __typename }` });
  assert.equal(long.statusCode, 400);
});

test('directives: neither many of them nor fields that are skipped get past the limits', async () => {
  await refused(`{ __typename ${'@include(if: true) '.repeat(400)} }`, /can only be used once/);
  await refused(`{ ${times(450, (at) => `a${at}: __typename @skip(if: true)`)} }`, /tokens/);
  const skipped = `fragment s on Query { ${times(120, (at) => `a${at}: __typename`)} }`;
  await refused(`{ ${times(9, () => '...s @skip(if: true)')} } ${skipped}`, /exceeds max fields/);
  await refused(
    `query($no: Boolean!) { ${times(260, (at) => `a${at}: __typename`)} b: __typename @include(if: $no) }`,
    /complexity of 260/,
    { variables: { no: false } },
  );
});

test('introspection is answered once, not many times over', async () => {
  for (const query of [
    getIntrospectionQuery(),
    getIntrospectionQuery({
      inputValueDeprecation: true,
      oneOf: true,
      specifiedByUrl: true,
      schemaDescription: true,
      directiveIsRepeatable: true,
    }),
  ]) {
    assert.equal((await ask(query)).errors, undefined);
  }
  const all = getIntrospectionQuery();
  await refused(
    all.replace('__schema {', 'a: __schema { types { ...FullType } } __schema {'),
    /exceeds max complexity/,
  );
  await refused('{ __schema { types { fields { type { fields { name } } } } } }', /introspection depth/);
  await refused(
    '{ __schema { types { ...t } } } fragment t on __Type { fields { type { ...u } } } fragment u on __Type { possibleTypes { name } }',
    /introspection depth/,
  );
  const largest = await ask(`{ __schema { types { fields { args { ${times(200, (at) => `a${at}: name`)} } } } } }`);
  assert.equal(largest.errors, undefined);
  assert.ok(JSON.stringify(largest).length < 8_000_000);
});

test('literals that nest are told what is wrong with them', async () => {
  const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  await refused(`{ echo(text: ${lists(1_400)}) }`, /String cannot represent|nested too deeply/);
  await refused(`{ echo(text: ${'['.repeat(2_980)} }`, /nested too deeply|Syntax Error/);
  await refused(
    `{ echo(text: ${'{a: '.repeat(700)}1${'}'.repeat(700)}) }`,
    /String cannot represent|nested too deeply/,
  );
  await refused(
    `query($a: ${'['.repeat(1_400)}Int${']'.repeat(1_400)}) { echo(text: $a) }`,
    /^Variable "\$a" of type "\[{1400}Int\]{1400}" used in position expecting type "String!"\.$/,
  );
  await refused(`${'{ a '.repeat(1_400)}`, /Syntax Error|nested/);
});

test('fields that overlap are compared only where there are few', async () => {
  const start = process.cpuUsage();
  await refused(`{ ${times(440, () => 'echo(text: "a")')} }`, /exceeds max complexity/);
  await refused(
    `{ ${times(290, () => '__typename')} ${times(200, (at) => `a${at % 3}: __typename`)} }`,
    /exceeds max complexity/,
  );
  await refused(`{ a: echo(text: "a") a: echo(text: "b") }`, /conflict because they have differing arguments/);
  const copies = (depth: number): string =>
    depth === 0 ? 'id' : times(2, () => `project { mergeRequest(iid: "1") { ${copies(depth - 1)} } }`);
  await refused(project(`mergeRequest(iid: "1") { ${copies(6)} }`), /exceeds max/);
  const { user, system } = process.cpuUsage(start);
  assert.ok(user + system < 3_000_000, `${user + system} microseconds`);
});

test('variables that are large or no variables', async () => {
  const query = 'query($a: [ID!], $t: String!) { projects(ids: $a) { nodes { id } } echo(text: $t) }';
  const many = Array.from({ length: 6_000 }, (_, at) => String(at));
  await refused(query, /variables have more than/, { variables: { a: many, t: '' } });
  await refused(query, /variables have more than/, { variables: JSON.stringify({ a: many }) });
  await refused(query, /variables have more than/, { variables: { t: 'x'.repeat(200_000) } });
  await refused(query, /variables have more than/, { variables: { unused: { x: [many, many] } } });
  await refused(query, /^Variable "\$t" has invalid value/, { variables: { a: [[1]], t: {} } });
  await refused(
    'query($t: String!) { echo(text: $t) }',
    /^Variable "\$t" has invalid value: Expected a value of non-null type "String!" to be provided\.$/,
    { variables: { a: 'x' } },
  );
  const { errors } = await ask('query($a: [ID!]) { projects(ids: $a) { nodes { id } } }', {
    variables: { a: many.slice(0, 120) },
  });
  assert.match(errors![0]!.message, /ids has more than 100 values/);
});

test('a batch of queries is refused as a whole', async () => {
  asked = 0;
  const response = await app.instance.server.app.inject({
    method: 'POST',
    url: '/api/graphql',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(Array.from({ length: 100 }, () => ({ query: '{ projects { nodes { id } } }' }))),
  });
  assert.equal(response.statusCode, 400);
  assert.ok(asked < 10);
});

test('what runs ends when it has made too much, met too many errors or asked too often', async () => {
  const largest = await ask(`{ group(fullPath: "g") { projects { nodes { ${nested(2)} } } } }`);
  assert.equal(largest.errors, undefined);
  const issue = { title: 'Long', description: 'd'.repeat(500_000) };
  expectStatus(await app.post('/projects/1/issues', { json: issue }), 201);
  for (const [query, message] of [
    [
      `{ group(fullPath: "g") { projects { nodes { ${nested(4)} } } } }`,
      /^The query returns more than 20000 objects\. Split it into smaller queries\.$/,
    ],
    [
      project(`issue(iid: "1") { ${times(20, (at) => `a${at}: description`)} }`),
      /^The query returns more than 8388608 bytes\. Split it into smaller queries\.$/,
    ],
    [
      `{ group(fullPath: "g") { projects { nodes { ${times(20, (at) => `a${at}: issues(first: 1, after: "x") { count }`)} } } } }`,
      /^The query has more than 100 errors\. Split it into smaller queries\.$/,
    ],
    [
      `{ ${times(60, (at) => `a${at}: user(username: "u${at}") { id }`)} }`,
      /^The query requires more than 50 look-ups\. Split it into smaller queries\.$/,
    ],
  ] as const) {
    const { data, errors } = await ask(query, { token: ROOT_TOKEN });
    assert.match(errors?.[0]?.message ?? `${JSON.stringify(data).length} bytes`, message);
    assert.equal(data, undefined);
    assert.equal(errors!.length, 1);
  }
});

test('expensive requests within a query count as one with it', async () => {
  const { data, errors } = await ask(project('mergeRequests { nodes { commitCount commits { nodes { title } } } }'), {
    token: ROOT_TOKEN,
  });
  assert.equal(errors, undefined);
  assert.match(JSON.stringify(data), /"commitCount":1/);
  const [first, second] = await Promise.all([1, 2].map(() => send({ query: project(nested(2)) }, ROOT_TOKEN)));
  assert.deepEqual([first!.statusCode, second!.statusCode].sort(), [200, 429]);
});

test('a query waits for its share of the memory of all, by its complexity', async (t) => {
  const { memory } = app.deps;
  const take = t.mock.method(memory, 'take');
  const maxCost = async (fields: number) => {
    take.mock.resetCalls();
    assert.equal((await ask(`{ ${times(fields, (at) => `a${at}: __typename`)} }`)).errors, undefined);
    return Math.max(0, ...take.mock.calls.map(({ arguments: [, options] }) => options?.cost ?? 0));
  };
  const POINT = 128 * 1024;
  assert.deepEqual([await maxCost(250), await maxCost(50)], [250 * POINT, 50 * POINT]);
  assert.equal(memory.held, 0);
});
