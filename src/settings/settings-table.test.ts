import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isKeptOnly, SETTING_NAMES } from './settings-table.ts';

const root = join(import.meta.dirname, '../..');
const acting = SETTING_NAMES.filter((name) => !isKeptOnly(name));
const storedOnly = SETTING_NAMES.filter(isKeptOnly);

/** Templates of setting names that readers compose. */
const PUT_TOGETHER = [
  'throttle_${name}_enabled',
  'throttle_${name}_requests_per_period',
  'throttle_${name}_period_in_seconds',
  'delayed_${kind}_deletion',
  'users_api_limit_${which}',
  '${kind}_limit',
  '${kind}_key_restriction',
];

/** Applied when they are set: they are another form of a setting that has readers. */
const OTHER_FORMS = ['outbound_local_requests_allowlist_raw'];

/** Excludes declarations and the settings endpoint, which are not readers. */
const isReader = (file: string) =>
  !/\.test\.ts$|^src\/settings\/application\/|^src\/api\/admin\/application-settings\//.test(file);

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter(isReader)
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

/** Matches the shorthands of the document: `a_(b, c)_d`, `a(_b)`, `a_*`. */
function matcher(written: string): RegExp {
  const pattern = written
    .replace(/\(([^)]*)\)/g, (_, inner: string) => `(${inner.split(/, ?/).join('|')})?`)
    .replaceAll('*', '\\w*');
  return new RegExp(`^${pattern}$`);
}

test('every setting has a reader, or is declared as kept only', () => {
  for (const template of PUT_TOGETHER) assert.ok(sources.includes(template), template);
  const words = new Set(sources.match(/\w+/g));
  const dynamic = PUT_TOGETHER.map((template) => new RegExp(`^${template.replace(/\$\{\w+\}/g, '\\w+')}$`));
  const unread = acting.filter((name) => !words.has(name) && !dynamic.some((pattern) => pattern.test(name)));
  assert.deepEqual(unread, OTHER_FORMS);
});

test('the operating page says what each setting does that acts, and of no other one that it does', () => {
  const page = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  const table = page.slice(page.indexOf('| settings | what they do |'), page.indexOf('are kept and shown only'));
  assert.ok(table.length > 1_000);
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const written = rows.flatMap((row) =>
    [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => matcher(name!)),
  );
  const isWritten = (name: string) => written.some((pattern) => pattern.test(name));
  assert.deepEqual([acting.filter((name) => !isWritten(name)), storedOnly.filter(isWritten)], [[], []]);
});
