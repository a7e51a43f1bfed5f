import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from './seed.apply.ts';
import { SeedError } from './seed.error.ts';
import { seedSchemaText } from './seed.schema.ts';
import { parseSeed } from './seed-document.ts';
import { expandSeed } from './seed-expand.ts';
import { SAMPLE_SEED } from './seed-sample.ts';

/** The problems of a seed. */
function problemsOf(text: string): readonly string[] {
  try {
    readSeed(text, 'a.yml');
  } catch (error) {
    assert.ok(error instanceof SeedError, String(error));
    return error.problems;
  }
  return [];
}

test('all mistakes are told, each with file, line, path and what is right', () => {
  const seed = `users:
  - {username: ada, tokns: []}
  - username: 7
groups:
  - path: g
    members: [{user: ada, access_level: develper}]
    subgroups:
      - path: h
        nam: H
projects:
  - path: web
    issues:
      - title: A
        created_at: 2026-13-01
      - labels: bug
`;
  const problems = problemsOf(seed);
  assert.deepEqual(
    problems.map((line) => line.split(': ').slice(0, 2).join(': ')),
    [
      'a.yml:2: users[0].tokns',
      'a.yml:3: users[1].username',
      'a.yml:6: groups[0].members[0].access_level',
      'a.yml:9: groups[0].subgroups[0].nam',
      'a.yml:14: projects[0].issues[0].created_at',
      'a.yml:15: projects[0].issues[1]',
      'a.yml:15: projects[0].issues[1].labels',
    ],
  );
  assert.match(problems[0]!, /did you mean tokens\?$/);
  assert.match(problems[1]!, /must be a text$/);
  assert.match(problems[2]!, /must be one of .*developer, maintainer.*$/);
  assert.match(problems[4]!, /must be a time such as 2026-01-31T09:05:00Z$/);
  assert.match(problems[5]!, /title is missing$/);
});

test('what is neither YAML nor JSON, too deep or too much is refused with its line', () => {
  assert.match(problemsOf('users: [')[0]!, /^a\.yml:1: /);
  assert.match(problemsOf('users: ["a\\0b"]')[0]!, /^a\.yml:1: users\[0\]: must not contain NUL/);
  assert.match(problemsOf('users: []\nusers: []')[0]!, /^a\.yml:2: .*unique/);
  assert.match(problemsOf('[1]')[0]!, /^a\.yml:1: must be a map$/);
  assert.match(problemsOf('')[0]!, /^a\.yml:1: must be a map$/);
  assert.match(problemsOf('['.repeat(50_000))[0]!, /^a\.yml:1: /);
  assert.match(problemsOf(`{"templates": ${'['.repeat(100)}${']'.repeat(100)}}`)[0]!, /at most 64 levels/);
  assert.match(
    problemsOf('projects: [{path: a, count: 100001}]')[0]!,
    /^a\.yml:1: projects\[0\]\.count: must be 100000 or less$/,
  );
  const bomb = `templates:\n  a: &a [1, 1]\n${[...'bcdefghijklmnopqrst'].map((name, at) => `  ${name}: &${name} [*${'abcdefghijklmnopqrst'[at]}, *${'abcdefghijklmnopqrst'[at]}]`).join('\n')}\n`;
  assert.match(problemsOf(bomb)[0]!, /^a\.yml:1: .*alias/i);
  const many = parseSeed('projects: [{path: "p{n}", count: 100000, issues: [{title: x, count: 100000}]}]', 'a.yml');
  assert.throws(() => expandSeed(many), /a\.yml:1: .*at most/);
});

test('JSON is a seed too, and its mistakes have lines', () => {
  assert.deepEqual(problemsOf('{"users": [{"username": "ada"}]}'), []);
  assert.match(
    problemsOf('{\n "users": [\n  {"usernam": "ada"}\n ]\n}').join('\n'),
    /a\.yml:3: users\[0\]: username is missing/,
  );
});

test('anchors, merge keys and count write out what is alike', () => {
  const text = `templates:
  dev: &dev {access_level: developer}
groups:
  - path: 'g{n}'
    count: 2
    members: [{user: 'u{n}', <<: *dev, count: 2}]
`;
  assert.deepEqual(problemsOf(text), []);
  const { root } = expandSeed(parseSeed(text, 'a.yml'));
  const members = [
    { user: 'u1', access_level: 'developer' },
    { user: 'u2', access_level: 'developer' },
  ];
  assert.deepEqual(root.groups, [
    { path: 'g1', members },
    { path: 'g2', members },
  ]);
  assert.deepEqual(
    problemsOf(text.replace('developer', 'devel')).map((line) => line.slice(0, 8)),
    ['a.yml:2:'],
  );
});

test('the schema is JSON and describes the sample', () => {
  const schema = JSON.parse(seedSchemaText()) as { properties: object; $schema: string };
  assert.match(schema.$schema, /json-schema/);
  assert.ok('projects' in schema.properties);
  assert.deepEqual(problemsOf(SAMPLE_SEED), []);
});
