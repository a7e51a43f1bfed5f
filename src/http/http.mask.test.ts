import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { routes } from '../routes.ts';
import { maskAddress, secretNames } from './http.mask.ts';
import { Nullable, Secret } from './http.schema.ts';
import type { JsonSchema } from './params/params.scalars.ts';

const declared = secretNames(
  Type.Object({
    answer: Secret(),
    hook: Type.Optional(Type.Object({ phrase: Nullable(Secret()), url: Type.String() })),
    variables: Type.Array(Type.Object({ name: Type.String(), value: Secret() })),
    title: Type.String(),
  }),
);

for (const [url, masked] of [
  ['/a?answer=42&title=x', '/a?answer=[FILTERED]&title=x'],
  [
    '/a?hook[phrase]=x&hook%5Bphrase%5D=y&hook[url]=u',
    '/a?hook[phrase]=[FILTERED]&hook%5Bphrase%5D=[FILTERED]&hook[url]=u',
  ],
  ['/a?variables[][name]=n&variables[][value]=v', '/a?variables[][name]=n&variables[][value]=[FILTERED]'],
  ['/a?answer[x]=42', '/a?answer[x]=[FILTERED]'],
  ['/a?%61nswer=42', '/a?%61nswer=[FILTERED]'],
  [
    '/a?private_token=t&PRIVATE_TOKEN=t&job_token=t&x=',
    '/a?private_token=[FILTERED]&PRIVATE_TOKEN=[FILTERED]&job_token=[FILTERED]&x=',
  ],
  [
    '/a?approval_password=p&auth_password=p&secret=s&key=k',
    '/a?approval_password=[FILTERED]&auth_password=[FILTERED]&secret=[FILTERED]&key=[FILTERED]',
  ],
  ['/a?page_token=main&search=token', '/a?page_token=main&search=token'],
  ['/a?import_url=https://ann:pw@host/x', '/a?import_url=https://[FILTERED]@host/x'],
  ['/a?import_url=https%3A%2F%2Fann%3Ap%2540w%40host%2Fx', '/a?import_url=https%3A%2F%2F[FILTERED]@host%2Fx'],
  ['/a?u=https://ann:p@w@host/x@y', '/a?u=https://[FILTERED]@host/x@y'],
  ['/a?u=https://host/x@y&m=a@b.c', '/a?u=https://host/x@y&m=a@b.c'],
  ['/a/https%3A%2F%2Fann%3Apw%40host', '/a/https%3A%2F%2F[FILTERED]@host'],
  ['http://ann:pw@host/api?x=1', 'http://[FILTERED]@host/api?x=1'],
  ['/a?token', '/a?token'],
  ['/a?%zz=1&token=%zz', '/a?%zz=1&token=[FILTERED]'],
] as const) {
  test(`${url} is logged as ${masked}`, () => {
    assert.equal(maskAddress(url, declared), masked);
  });
}

test('a long address takes no long time', () => {
  for (const part of ['://', '%3a%2f%2f', '://@', ':', '[', '%', 'a@']) {
    const address = `/a?x=${part.repeat(60_000)}`;
    // Quadratic time would be as much as the whole suite takes.
    assert.match(maskAddress(address, declared).slice(0, 20), /^\/a\?x=/);
  }
});

/** Parameters with names like credentials that are none: a plan of Bamboo, an object of a bucket, a project of Jira. */
const PUBLIC = new Set(['build_key', 'file_key', 'key', 'page_token', 'project_key']);

test('every input that is named like a credential is declared as secret', () => {
  const problems: string[] = [];
  const visit = (schema: JsonSchema, name: string, where: string): void => {
    for (const alternative of schema.anyOf ?? []) visit(alternative, name, where);
    if (schema.items !== undefined) visit(schema.items, name, where);
    for (const [key, member] of Object.entries(schema.properties ?? {})) visit(member, key, where);
    const named = /(?:^|_)(?:token|password|passphrase|secret|key|credentials)$/.test(name);
    const text = [schema.type].flat().includes('string');
    if (named && text && !PUBLIC.has(name) && schema.format !== 'password') problems.push(`${where}: ${name}`);
  };
  for (const { options } of routes) visit((options.input ?? {}) as JsonSchema, '', `${options.method} ${options.path}`);
  assert.deepEqual(problems, []);
});
