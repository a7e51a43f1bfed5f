import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runSync } from '../../../../test/support/fork-server.ts';
import type { Release } from '../../../ci/pipeline-config.ts';
import { releaseCommand } from './release-step.ts';

const RELEASE: Release = {
  tag_name: 'v$NUMBER',
  description: 'Notes of "$NUMBER", `true` and \\n',
  tag_message: null,
  name: 'One; echo no',
  ref: null,
  milestones: ['a b', 'c'],
  released_at: null,
  links: [{ name: 'A "quoted"', url: 'https://example.org/$NUMBER', filepath: '/bin/a', link_type: 'package' }],
};

/** Variables of the job. */
const VARIABLES: Readonly<Record<string, string>> = {
  NUMBER: '7',
  CI_COMMIT_SHA: 'abc',
  CI_PROJECT_PATH: 'g/p',
  CI_SERVER_FQDN: 'forge.example',
  CI_SERVER_PROTOCOL: 'https',
  CI_JOB_TOKEN: 'glcbt-1',
};

/** Replaces variables as gitlab-runner does before it writes the script: only those of the job. */
const asRunner = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(
    /\$(?:\{(\w+)\}|([*#$@!?\d-])|(\w+))/g,
    (_, braced, special, name) => variables[braced ?? special ?? name] ?? '',
  );

/**
 * Runs the step with these programs installed, as gitlab-runner does.
 * @returns the arguments of each call, one per line
 */
function runStep(
  t: TestContext,
  programs: Record<string, string>,
  release: Release,
  files: Readonly<Record<string, string>> = {},
): { ok: boolean; calls: string[][] } {
  const folder = mkdtempSync(join(tmpdir(), 'stithy-release-step-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin'));
  const callLog = join(folder, 'told');
  writeFileSync(callLog, '');
  for (const [name, body] of Object.entries(programs)) {
    const file = join(folder, 'bin', name);
    writeFileSync(
      file,
      `#!/bin/sh\n${body}\nfor each in ${name} "$@"; do printf '%s\\0' "$each"; done >> "${callLog}"; printf '\\n\\0' >> "${callLog}"\n`,
    );
    chmodSync(file, 0o755);
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const variables = { ...VARIABLES, CI_PROJECT_DIR: folder };
  const script = asRunner(releaseCommand(release, 'bash'), variables);
  const { status } = runSync('/bin/sh', ['-e', '-c', script], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, ...variables },
  });
  const calls = readFileSync(callLog, 'utf8')
    .split('\n\0')
    .filter((call) => call !== '')
    .map((call) => call.split('\0').slice(0, -1));
  return { ok: status === 0, calls };
}

test('without glab a release is made by release-cli, with variables and nothing else replaced', (t) => {
  const { ok, calls } = runStep(t, { 'release-cli': '' }, RELEASE);
  assert.ok(ok);
  assert.deepEqual(calls, [
    [
      'release-cli',
      'create',
      ...['--name', 'One; echo no'],
      ...['--description', 'Notes of "7", `true` and \\n'],
      ...['--tag-name', 'v7'],
      ...['--milestone', 'a b', '--milestone', 'c'],
      '--assets-link',
      '{"name":"A \\"quoted\\"","url":"https://example.org/7","filepath":"/bin/a","link_type":"package"}',
    ],
  ]);
});

const HELPS = 'if test "$3" = --help; then echo "--no-close-milestone"; exit; fi';

test('where glab can do it, it signs in with the token of the job and makes the release', (t) => {
  const { ok, calls } = runStep(t, { glab: HELPS, 'release-cli': '' }, RELEASE);
  assert.ok(ok);
  const api = ['--api-host', 'forge.example', '--api-protocol', 'https'];
  assert.deepEqual(calls, [
    ['glab', 'auth', 'login', '--job-token', 'glcbt-1', '--hostname', 'forge.example', ...api],
    [
      'glab',
      ...['release', 'create', '-R', 'g/p', 'v7'],
      ...['--notes', 'Notes of "7", `true` and \\n', '--name', 'One; echo no', '--ref', 'abc', '--milestone', 'a b,c'],
      '--assets-links',
      '[{"name":"A \\"quoted\\"","url":"https://example.org/7","link_type":"package","direct_asset_path":"/bin/a"}]',
      ...['--no-update', '--no-close-milestone'],
    ],
  ]);
});

test('notes are a text, however many lines it has, or the file of that name', (t) => {
  const notesOf = (description: string, files = {}) => {
    const { ok, calls } = runStep(t, { glab: HELPS }, { ...RELEASE, description, links: [] }, files);
    assert.ok(ok);
    const create = calls.at(-1)!;
    return create.slice(create.indexOf('v7') + 1, create.indexOf('--name'));
  };
  const long = `# News of $NUMBER\n\n- "one" & 'two'\n- \`three\`\n${'x'.repeat(1_000)}`;
  assert.deepEqual(notesOf(long), ['--notes', long.replace('$NUMBER', '7')]);
  assert.deepEqual(notesOf('news $NUMBER.md', { 'news 7.md': 'It costs $5' }), ['--notes-file', 'news 7.md']);
  assert.deepEqual(notesOf('news $NUMBER.md', { 'news.md': 'x' }), ['--notes', 'news 7.md']);
});

test('an older glab is left alone, and what fails fails the job', (t) => {
  const old = runStep(t, { glab: 'exit 1', 'release-cli': '' }, RELEASE);
  assert.deepEqual([old.ok, old.calls[0]?.[0]], [true, 'release-cli']);
  const failing: Record<string, string>[] = [{}, { glab: `${HELPS}; exit 1` }, { 'release-cli': 'exit 3' }];
  for (const programs of failing) {
    assert.equal(runStep(t, programs, RELEASE).ok, false);
  }
});

test('PowerShell is spoken to in its own words', () => {
  const command = releaseCommand({ ...RELEASE, milestones: [], links: [] }, 'pwsh');
  assert.equal(
    command,
    'release-cli create --name "One; echo no" --description "Notes of `"$NUMBER`", ``true`` and \\n" --tag-name "v$NUMBER"',
  );
});
