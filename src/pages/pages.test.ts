import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { mustGit } from '../../test/support/git-client.ts';
import { GitUser } from '../../test/support/git-user.ts';
import { makeMergeRequest } from '../../test/support/merge-request.ts';
import type { Project } from '../db/tables/projects.table.ts';
import { rewritePageUrl } from './pages.rewrite.ts';

let app: TestApp;
let user: GitUser;
let url: string;
/** A public project in a nested group, and a private one, with `main`, `feature/x` and the tag `v1.0`. */
let open: Project;
let closed: Project;
let dir: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  user = await GitUser.of(app);
  const top = await app.make.group({ visibility: 'public' });
  const group = await app.make.group({ parent: top, visibility: 'public' });
  open = await app.make.project({ namespace: group, visibility: 'public' });
  closed = await app.make.project({ namespace: group });
  dir = await user.tree();
  await user.commit(dir, 'docs/ü a.md', '# Hällo\n');
  await user.ok(dir, 'tag', 'v1.0');
  await user.ok(dir, 'checkout', '--quiet', '-b', 'feature/x');
  await user.commit(dir, 'docs/new.md', 'new\n');
  for (const project of [open, closed]) {
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main', 'feature/x', 'v1.0');
  }
  for (const project of [open, closed]) await makeMergeRequest(app, project, { source_branch: 'feature/x' });
});
after(() => app.close());

interface Got {
  status: number;
  text: string;
  location: string | null;
  headers: Headers;
}

async function get(path: string, token: string | null = null): Promise<Got> {
  const response = await fetch(`${url}/${path}`, {
    redirect: 'manual',
    headers: token === null ? {} : { 'private-token': token },
  });
  const { status, headers } = response;
  return { status, headers, location: headers.get('location'), text: await response.text() };
}

test('addresses of people become ones that the router can match, and ours stay', () => {
  const cases: [input: string, expected: string][] = [
    ['/a/b/-/raw/main/x%20y?z=/-/', '/a%2Fb/-/raw/main/x%20y?z=/-/'],
    ['/a/b/c/-/tree/-/x', '/a%2Fb%2Fc/-/tree/-/x'],
    ['/a%2Fb/-/raw/m/x', '/a%2Fb/-/raw/m/x'],
    ['/a/b', '/-/home/a%2Fb'],
    ['/a/b/?go-get=1', '/-/home/a%2Fb?go-get=1'],
    ['/a/b/info/refs?service=x', '/-/home/a%2Fb%2Finfo%2Frefs?service=x'],
    ['/api/v4/projects/a%2Fb', '/api/v4/projects/a%2Fb'],
    ['/uploads/-/system/user/avatar/1/a.png', '/uploads/-/system/user/avatar/1/a.png'],
    ['/-/readiness', '/-/readiness'],
    ['/oauth/token', '/oauth/token'],
    ['/', '/'],
  ];
  for (const [pageUrl, rewritten] of cases) assert.equal(rewritePageUrl(pageUrl), rewritten);
});

describe('git without .git', () => {
  test('is led to the address with it: clone, push and ls-remote', async () => {
    const plain = user.address(closed).replace(/\.git$/, '');
    const copy = `${dir}-plain`;
    await user.ok(user.folder, 'clone', '--quiet', plain, copy);
    await user.ok(copy, 'push', '--quiet', 'origin', 'HEAD:refs/heads/plain');
    assert.match(await user.ok(copy, 'ls-remote', plain), /refs\/heads\/plain/);
    await user.ok(copy, 'push', '--quiet', 'origin', ':plain');
    const hidden = await get('no/such/info/refs?service=git-upload-pack');
    assert.deepEqual([hidden.status, hidden.location], [301, `${url}/no/such.git/info/refs?service=git-upload-pack`]);
  });
});

describe('go get', () => {
  const content = async (path: string, token?: string) => {
    const basic = `Basic ${Buffer.from(`go:${token}`).toString('base64')}`;
    const response = await fetch(
      `${url}/${path}?go-get=1`,
      token === undefined ? {} : { headers: { authorization: basic } },
    );
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  };
  const host = () => new URL(url).hostname;

  test('finds a project in nested groups from any package below it', async () => {
    for (const path of [open.full_path, `${open.full_path}/pkg/sub`]) {
      const { status, text, type } = await content(path);
      assert.equal(status, 200);
      assert.match(type ?? '', /^text\/html/);
      assert.ok(text.includes(`content="${host()}/${open.full_path} git ${url}/${open.full_path}.git"`), text);
      assert.ok(text.includes('name="go-source"'));
    }
  });

  test('tells nothing of a project that the caller may not see', async () => {
    const [hidden, missing] = [await content(`${closed.full_path}/pkg`), await content(`${open.full_path}-no/pkg`)];
    const simple = open.full_path.split('/').slice(0, 2).join('/');
    for (const { status, text } of [hidden, missing]) {
      assert.equal(status, 200);
      assert.ok(text.includes(`content="${host()}/${simple} git ${url}/${simple}.git"`), text);
    }
    assert.equal(hidden.text, missing.text);
    const shown = await content(`${closed.full_path}/pkg`, ROOT_TOKEN);
    assert.ok(shown.text.includes(`${closed.full_path}.git`));
    assert.equal((await content('alone')).status, 404);
    assert.doesNotMatch((await content('a%22%3E%3Cscript%3E/b')).text, /<script>/);
  });
});

describe('bytes at web addresses', () => {
  test('a raw file, its branch told from its path', async () => {
    const raw = await get(`${open.full_path}/-/raw/main/docs/%C3%BC%20a.md`);
    assert.deepEqual([raw.status, raw.text], [200, '# Hällo\n']);
    assert.match(raw.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal((await get(`${open.full_path}/-/raw/feature/x/docs/new.md`)).text, 'new\n');
    assert.equal((await get(`${open.full_path}/-/raw/v1.0/README.md`)).text, '# Hello\n');
    const sha = await mustGit(dir, ['rev-parse', 'HEAD']);
    assert.equal((await get(`${open.full_path}/-/raw/${sha}/docs/new.md`)).text, 'new\n');
    for (const path of ['main/none', 'none/README.md', 'main', 'main/docs', 'main/..%2f..%2fHEAD']) {
      assert.ok([400, 404].includes((await get(`${open.full_path}/-/raw/${path}`)).status), path);
    }
    const tagged = await fetch(`${url}/${open.full_path}/-/raw/main/README.md`, {
      headers: { 'if-none-match': (await get(`${open.full_path}/-/raw/main/README.md`)).headers.get('etag')! },
    });
    assert.equal(tagged.status, 304);
  });

  test('an archive, whose folder is called as it was asked for', async () => {
    const name = `${open.path}-v1.0`;
    const response = await fetch(`${url}/${open.full_path}/-/archive/v1.0/${name}.tar.gz`);
    assert.equal(response.status, 200);
    assert.ok(response.headers.get('content-disposition')?.includes(`${name}.tar.gz`));
    const tar = gunzipSync(Buffer.from(await response.arrayBuffer())).toString('latin1');
    assert.ok(tar.includes(`${name}/README.md\0`));
    const branch = await get(`${open.full_path}/-/archive/feature/x.zip`);
    assert.equal(branch.status, 200);
    assert.match(branch.headers.get('content-disposition') ?? '', /feature-x-[0-9a-f]{40}\.zip/);
    assert.equal((await get(`${open.full_path}/-/archive/none/x.zip`)).status, 404);
    assert.equal((await get(`${open.full_path}/-/archive/main/x.exe`)).status, 404);
  });

  test('a commit and a merge request as diff, and as patch that git am takes', async () => {
    const sha = await mustGit(dir, ['rev-parse', 'HEAD']);
    for (const page of [`commit/${sha}`, 'merge_requests/1']) {
      const diff = await get(`${open.full_path}/-/${page}.diff`);
      assert.equal(diff.status, 200, page);
      assert.match(diff.text, /^diff --git a\/docs\/new\.md b\/docs\/new\.md/);
      const patch = await get(`${open.full_path}/-/${page}.patch`);
      assert.equal(patch.status, 200, page);
      assert.match(patch.text, new RegExp(`^From ${sha}`));
      const tree = await user.tree();
      await mustGit(tree, ['am', '--quiet'], patch.text);
      assert.match(await mustGit(tree, ['log', '-1', '--format=%s']), /^Change docs\/new\.md$/);
    }
    const first = await mustGit(dir, ['rev-list', '--max-parents=0', 'HEAD']);
    assert.match((await get(`${open.full_path}/-/commit/${first}.diff`)).text, /README\.md/);
    assert.match((await get(`${open.full_path}/-/commit/${first}.patch`)).text, new RegExp(`^From ${first}`));
    assert.equal((await get(`${open.full_path}/-/commit/${'0'.repeat(40)}.patch`)).status, 404);
    assert.equal((await get(`${open.full_path}/-/merge_requests/99.diff`)).status, 404);
  });

  test('are for who may read them', async () => {
    const sha = await mustGit(dir, ['rev-parse', 'HEAD']);
    const pages = [
      'raw/main/README.md',
      'archive/main/x.zip',
      `commit/${sha}.diff`,
      `commit/${sha}.patch`,
      'merge_requests/1.diff',
      'merge_requests/1.patch',
    ];
    const { guest, reporter, stranger } = await app.make.members(closed);
    for (const page of pages) {
      const path = `${closed.full_path}/-/${page}`;
      assert.equal((await get(path)).status, 404, page);
      assert.equal((await get(path, stranger.token)).status, 404, page);
      assert.ok([403, 404].includes((await get(path, guest.token)).status), page);
      assert.equal((await get(path, reporter.token)).status, 200, page);
      assert.equal((await get(path, 'glpat-wrong')).status, 401, page);
    }
  });
});

describe('what has no page leads to the API', () => {
  test('pages of a project', async () => {
    const api = `${url}/api/v4/projects/${encodeURIComponent(open.full_path)}`;
    const sha = await mustGit(dir, ['rev-parse', 'HEAD']);
    const cases: [page: string, target: string][] = [
      [`commit/${sha}`, `${api}/repository/commits/${sha}`],
      ['merge_requests/1', `${api}/merge_requests/1`],
      ['issues/1', `${api}/issues/1`],
      ['jobs/1/artifacts/download', `${api}/jobs/1/artifacts`],
      ['tree/feature/x', `${api}/repository/tree?ref=feature%2Fx`],
      ['compare/main...feature/x', `${api}/repository/compare?from=main&to=feature%2Fx`],
      ['commits/feature/x', `${api}/repository/commits?ref_name=feature%2Fx`],
      ['issues?release_tag=v1&state=closed', `${api}/issues?release_tag=v1&state=closed`],
      ['blob/main/README.md', `${url}/${open.full_path}/-/raw/main/README.md`],
    ];
    for (const [page, target] of cases) {
      const { status, location } = await get(`${open.full_path}/-/${page}`);
      assert.deepEqual([status, location], [302, target]);
      if (!/^(issues|jobs)\/1/.test(page)) assert.equal((await fetch(target)).status, 200, target);
    }
    assert.equal((await get(`${open.full_path}/-/no/such/page`)).status, 404);
  });

  test('projects, groups and users, where the caller may see them', async () => {
    const [top = ''] = open.full_path.split('/');
    assert.equal((await get(open.full_path)).location, `${url}/api/v4/projects/${encodeURIComponent(open.full_path)}`);
    assert.equal((await get(`groups/${top}`)).location, `${url}/api/v4/groups/${top}`);
    assert.equal((await get(closed.full_path, ROOT_TOKEN)).status, 302);
    assert.equal((await get('root')).location, `${url}/api/v4/users?username=root`);
    for (const path of [closed.full_path, 'no/such', 'nobody-here', 'favicon.ico']) {
      const { status, text } = await get(path);
      assert.equal(status, 404, path);
      assert.equal(JSON.parse(text).message, '404 Not Found');
    }
    assert.equal((await fetch(`${url}/${open.full_path}`, { method: 'POST' })).status, 405);
  });

  test('the address at which to create a merge request says how', async () => {
    const query = 'merge_request%5Bsource_branch%5D=feature%2F%27x%3Cscript%3E';
    const { status, text, headers } = await get(`${open.full_path}/-/merge_requests/new?${query}`);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    assert.ok(text.includes("git push -o merge_request.create origin 'feature/'\\''x<script>'"), text);
  });
});

test('a moved project is found at its old web addresses', async () => {
  const project = await app.make.project({ visibility: 'public' });
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  expectStatus(await app.put(`/projects/${project.id}`, { json: { path: `${project.path}-now` } }), 200);
  const { status, location } = await get(`${project.full_path}/-/raw/main/README.md`);
  assert.equal(status, 301);
  assert.equal(await (await fetch(location!)).text(), '# Hello\n');
});

test('pages of wikis, of projects and of groups, lead to the API', async () => {
  const project = `projects/${encodeURIComponent(open.full_path)}`;
  const path = open.full_path.split('/').slice(0, -1).join('/');
  const group = `groups/${encodeURIComponent(path)}`;
  const cases: [page: string, target: string][] = [
    [`${open.full_path}/-/wikis/home`, `${project}/wikis/home`],
    [`${open.full_path}/-/wikis/Guides/First-steps`, `${project}/wikis/Guides%2FFirst-steps`],
    [`${open.full_path}/-/wikis/home/edit`, `${project}/wikis/home`],
    [`${open.full_path}/-/wikis`, `${project}/wikis`],
    [`${open.full_path}/-/wikis/pages`, `${project}/wikis`],
    [`groups/${path}/-/wikis/home`, `${group}/wikis/home`],
    [`groups/${path}/-/wikis`, `${group}/wikis`],
  ];
  for (const [page, target] of cases) {
    const { status, location } = await get(page);
    assert.deepEqual([status, location], [302, `${url}/api/v4/${target}`], page);
  }
});
