/** Applies a configuration with the unmodified gitlabform, and applies it again. Its program is the argument. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { api, folder, must, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);

/** Applies the configuration to all it names. @returns what it wrote */
const apply = () =>
  must(
    folder,
    program,
    [
      '--skip-version-check',
      '--verbose',
      '--strict',
      '--config',
      join(import.meta.dirname, 'gitlabform.yml'),
      'ALL_DEFINED',
    ],
    { GITLAB_URL: url, GITLAB_TOKEN: token, PYTHONIOENCODING: 'utf-8' },
  );

interface Named {
  id: number;
  name: string;
}

interface Level {
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
}

interface Protection {
  name: string;
  push_access_levels: Level[];
  merge_access_levels: Level[];
}

const LISTS = [
  '/groups/forms/members',
  '/groups/forms/labels',
  '/groups/forms/badges',
  '/projects/forms%2Fapp/members',
  '/projects/forms%2Fapp/labels',
  '/projects/forms%2Fapp/badges',
  '/projects/forms%2Fapp/deploy_keys',
  '/projects/forms%2Fapp/protected_branches',
  '/projects/forms%2Fapp/approvals',
  '/projects/forms%2Fapp/approval_rules',
  '/projects/forms%2Fapp/repository/commits?all=true',
];

/** Everything that the configuration is about, by the address it is read at. */
async function state(): Promise<Record<string, unknown>> {
  const lists = await Promise.all(LISTS.map(async (path) => [path, await api('GET', path)]));
  return Object.fromEntries(lists) as Record<string, unknown>;
}

const TESTS: Record<string, () => Promise<void>> = {
  'a configuration is applied, and a second time changes nothing': async () => {
    const users = await Promise.all(
      ['ada', 'bo'].map((username) =>
        api<Named>('POST', '/users', {
          username,
          name: username,
          email: `${username}@example.org`,
          password: 'a long enough 1 pass',
          skip_confirmation: true,
        }),
      ),
    );
    const bo = users[1]?.id;
    const reviewers = await api<Named>('POST', '/groups', { name: 'reviewers', path: 'reviewers' });
    await api('POST', '/groups', { name: 'readers', path: 'readers' });
    const group = await api<Named>('POST', '/groups', { name: 'forms', path: 'forms', visibility: 'internal' });
    const made = await api<Named>('POST', '/projects', {
      path: 'app',
      namespace_id: group.id,
      initialize_with_readme: true,
    });
    const base = `/projects/${made.id}`;
    await api('POST', `${base}/repository/branches?branch=open&ref=main`);
    // Rules may name a group that is in the project; gitlabform itself shares only after it protects branches.
    await api('POST', `${base}/share`, { group_id: reviewers.id, group_access: 30 });
    await api('POST', `${base}/labels`, { name: 'old', color: '#000000' });

    await apply();
    const project = await api<Record<string, unknown>>('GET', base);
    assert.deepEqual(
      [project.merge_method, project.squash_option, project.topics, project.wiki_access_level, project.visibility],
      ['ff', 'default_on', ['code', 'forms'], 'disabled', 'internal'],
    );
    const own = await api<{ description: string; request_access_enabled: boolean }>('GET', `/groups/${group.id}`);
    assert.deepEqual([own.description, own.request_access_enabled], ['Kept as code', false]);
    const direct = await api<{ id: number; access_level: number; expires_at: string }[]>('GET', `${base}/members`);
    assert.deepEqual(
      direct.map((member) => [member.id, member.access_level, member.expires_at]),
      [[bo, 40, '2099-01-01']],
    );
    const [protectedMain, protectedReleases] = await Promise.all(
      ['main', 'release%2F*'].map((name) => api<Protection>('GET', `${base}/protected_branches/${name}`)),
    );
    assert.deepEqual(
      protectedMain?.push_access_levels.map((level) => level.access_level),
      [0],
    );
    assert.ok(protectedReleases?.push_access_levels.some((level) => level.user_id === bo));
    assert.ok(protectedReleases?.merge_access_levels.some((level) => level.group_id === reviewers.id));
    const labels = await api<Named[]>('GET', `${base}/labels?include_ancestor_groups=false`);
    assert.deepEqual(
      labels.map((label) => label.name),
      ['bug'],
    );
    const rules = await api<(Named & { approvals_required: number; users: Named[] })[]>(
      'GET',
      `${base}/approval_rules`,
    );
    assert.deepEqual(
      rules.map((rule) => [rule.name, rule.approvals_required, rule.users.map((user) => user.id)]),
      [
        ['Anyone', 1, []],
        ['Review', 2, [bo]],
      ],
    );
    const file = await fetch(`${url}/api/v4${base}/repository/files/CONTRIBUTING.md/raw?ref=main`, {
      headers: { 'private-token': token },
    });
    assert.equal(await file.text(), 'How to help app of forms\n');

    const before = await state();
    const output = await apply();
    assert.deepEqual(await state(), before);
    // Rules that name users are sent each time: gitlabform compares `user_ids` with an answer that has `users`.
    const changes = output.split('\n').filter((line) => /Adding|Editing|Recreating|Deleting|Removing/.test(line));
    assert.deepEqual(changes, ['Editing review of merge_requests_approval_rules in forms/app']);
  },
};

await runTests('gitlabform', TESTS);
