import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileInThisThread } from '../src/ci/compiler/compile-in-this-thread.ts';
import { MemorySources, PROJECT, SHA } from './support/memory-sources.ts';

const root = join(import.meta.dirname, 'fixtures/lint');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yml'))
  .sort();
const texts = files.map((file) => readFileSync(join(root, file), 'utf8').split('\n'));
const PROJECT_INCLUDE = files.indexOf('include/project-at-ref.yml');

const values = fc.constantFrom(
  ...['null', '[]', '{}', 'true', '1', '-1', '""', '[[x]]', '{a: b}', '[null]', '{script: x}', '$A', '"/x/"', '.inf'],
  ...['99999999999999999999', '__proto__', 'constructor', '!reference [a, b]', '*x', '&x', '- -', '"', '\t'],
);
const damage = fc.record({ kind: fc.nat(5), at: fc.nat(), from: fc.nat(), value: values });

/** A line of a configuration is changed, left out, doubled or taken from elsewhere. */
function damaged(
  lines: readonly string[],
  { kind, at, from, value }: { kind: number; at: number; from: number; value: string },
) {
  const place = at % Math.max(1, lines.length);
  const line = lines[place] ?? '';
  const others = texts[from % texts.length]!;
  const instead = [
    [line.replace(/:.*$/, `: ${value}`)],
    [line.replace(/- .*$/, `- ${value}`)],
    [line.replace(/\w+:/, `${value}:`)],
    [],
    [line, line],
    [line, ...others.slice(from % others.length, (from % others.length) + 4)],
  ][kind]!;
  return lines.toSpliced(place, 1, ...instead);
}

test('damaged configurations get errors in words, whatever is wrong with them', async () => {
  const request = { context: { project: PROJECT, sha: SHA }, variables: new Map(), inputs: {}, isChild: false };
  const pipeline = {
    source: 'push',
    ref: 'main',
    refType: 'branch' as const,
    projectPath: PROJECT,
    predefined: [],
    stored: [],
    pipelineVariables: [],
    maxNeeds: 50,
  };
  const text = fc.tuple(fc.nat(texts.length - 1), fc.array(damage, { minLength: 1, maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), async ([which, damages], evaluated) => {
      const content = damages
        .reduce<readonly string[]>((lines, each) => damaged(lines, each), texts[which]!)
        .join('\n');
      const around = { path: '.gitlab-ci.yml', sources: new MemorySources(), pipeline: evaluated ? pipeline : null };
      const { errors, config } = await compileInThisThread({ ...request, ...around, content });
      for (const error of errors) assert.match(error, /\S/);
      assert.ok(errors.length > 0 || config !== null);
    }),
    {
      numRuns: 400,
      // An include of a project whose name is a map.
      examples: [[[PROJECT_INCLUDE, [{ kind: 0, at: 1, from: 0, value: '{a: b}' }]], false]],
    },
  );
});
