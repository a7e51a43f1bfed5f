/** Danger, unmodified, reviews a merge request. The folder it is installed in is the argument. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, run, runTests, token, url } from './support.ts';

const [installed = ''] = process.argv.slice(2);
const program = join(installed, 'node_modules/danger/distribution/commands/danger-ci.js');

interface Note {
  body: string;
  system: boolean;
  position?: { new_path: string; new_line: number };
}

/** A merge request that changes a file and adds one. */
async function scene(path: string): Promise<{ base: string; iid: number; sha: string }> {
  const { id } = await api<{ id: number }>('POST', '/projects', { path, initialize_with_readme: true });
  const { id: sha } = await api<{ id: string }>('POST', `/projects/${id}/repository/commits`, {
    branch: 'greet',
    start_branch: 'main',
    commit_message: 'Greet',
    actions: [
      { action: 'update', file_path: 'README.md', content: 'Changed\n' },
      { action: 'create', file_path: 'greet.txt', content: 'Hello\nWorld\n' },
    ],
  });
  const { iid } = await api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'greet',
    target_branch: 'main',
    title: 'Greet',
    labels: 'polite',
  });
  return { base: `/projects/${id}/merge_requests/${iid}`, iid, sha };
}

/** Runs it as a job would. @param rules what is in the Dangerfile */
async function danger(path: string, iid: number, sha: string, rules: string) {
  const dir = join(folder, `danger-${path}`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'dangerfile.js'), rules);
  return run(dir, process.execPath, [program, '--failOnErrors'], {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER_NAME: 'GitLab',
    CI_API_V4_URL: `${url}/api/v4`,
    CI_MERGE_REQUEST_IID: String(iid),
    CI_MERGE_REQUEST_PROJECT_PATH: `root/${path}`,
    CI_PROJECT_PATH: `root/${path}`,
    CI_COMMIT_SHA: sha,
    DANGER_GITLAB_HOST: url,
    DANGER_GITLAB_API_TOKEN: token,
  });
}

const notes = async (base: string) => (await api<Note[]>('GET', `${base}/notes`)).filter((each) => !each.system);

await runTests('danger', {
  'says what it finds in one note, which it changes and removes': async () => {
    const { base, iid, sha } = await scene('reviewed');
    const rules = `
      const { mr, commits } = danger.gitlab;
      message(\`\${mr.title} of \${commits.length} with \${mr.labels}\`);
      message(\`changed \${danger.git.modified_files} and new \${danger.git.created_files}\`);`;
    const first = await danger('reviewed', iid, sha, rules);
    assert.ok(first.ok, first.text);
    const [note, ...others] = await notes(base);
    assert.ok(note !== undefined && others.length === 0, first.text);
    assert.match(note.body, /Greet of 1 with polite/);
    assert.match(note.body, /changed README\.md and new greet\.txt/);

    const second = await danger('reviewed', iid, sha, `fail('No greeting is long enough')`);
    assert.ok(!second.ok, second.text);
    const after = await notes(base);
    assert.equal(after.length, 1);
    assert.match(after[0]!.body, /No greeting is long enough/);

    const third = await danger('reviewed', iid, sha, '');
    assert.ok(third.ok, third.text);
    assert.deepEqual(await notes(base), []);
  },
  'comments on a line': async () => {
    const { base, iid, sha } = await scene('inline');
    const { ok, text } = await danger('inline', iid, sha, `warn('Too short', 'greet.txt', 2)`);
    assert.ok(ok, text);
    const inline = (await notes(base)).find((each) => each.position !== undefined);
    assert.match(inline?.body ?? '', /Too short/, text);
    assert.deepEqual([inline?.position?.new_path, inline?.position?.new_line], ['greet.txt', 2]);
  },
});
