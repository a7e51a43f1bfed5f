import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { type SeededProject, seededProject } from '../../../../test/support/seeded-project.ts';
import type { ReleaseJson } from './releases.responses.ts';

let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = new TestClock();
  app = await buildTestApp({ clock });
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;
const pathOf = ({ project }: Pick<SeededProject, 'project'>) => `/projects/${project.id}/releases`;
const create = async (made: SeededProject, json: object) =>
  expectStatus<ReleaseJson>(await app.post(pathOf(made), { json }), 201);
const refusal = async (path: string, json: object, status: number) =>
  message(expectStatus(await app.post(path, { json }), status));

describe('POST releases', () => {
  test('makes a release of a tag that is there, with everything that belongs to it', async (t) => {
    const made = await seededProject(app, t);
    const { project, git, head } = made;
    git.git(['tag', 'v1/0', head]);
    const milestone = expectStatus<{ id: number }>(
      await app.post(`/projects/${project.id}/milestones`, { json: { title: 'One, two' } }),
      201,
    );
    const json = {
      tag_name: 'v1/0',
      name: 'First & <best>',
      description: 'Notes\n\nMore',
      milestones: ['One, two'],
      assets: {
        links: [{ name: 'App', url: 'https://example.org/app', direct_asset_path: '/bin/app', link_type: 'package' }],
      },
    };
    const release = await create(made, json);
    const web = `${app.deps.externalUrl()}/${project.full_path}`;
    const { author, commit, milestones, assets, _links, ...rest } = release;
    assert.deepEqual(rest, {
      name: 'First & <best>',
      tag_name: 'v1/0',
      description: 'Notes\n\nMore',
      created_at: '2026-06-15T12:00:00.000Z',
      released_at: '2026-06-15T12:00:00.000Z',
      upcoming_release: false,
      commit_path: `/${project.full_path}/-/commit/${head}`,
      tag_path: `/${project.full_path}/-/tags/v1/0`,
      evidences: [],
    });
    assert.equal(author?.username, 'root');
    assert.deepEqual([commit?.id, commit?.title, commit?.author_name], [head, 'second', 'Ada']);
    assert.deepEqual(
      milestones?.map(({ id, issue_stats }) => [id, issue_stats]),
      [[milestone.id, { total: 0, closed: 0 }]],
    );
    assert.equal(assets.count, 5);
    const archive = `${web}/-/archive/v1/0/${project.path}-v1-0`;
    assert.deepEqual(
      assets.sources?.map(({ format, url }) => [format, url]),
      ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => [format, `${archive}.${format}`]),
    );
    assert.deepEqual(
      assets.links.map(({ id: _, ...link }) => link),
      [
        {
          name: 'App',
          url: 'https://example.org/app',
          direct_asset_url: `${web}/-/releases/v1%2F0/downloads/bin/app`,
          link_type: 'package',
        },
      ],
    );
    assert.equal(_links.self, `${web}/-/releases/v1%2F0`);
    assert.equal(_links.edit_url, `${web}/-/releases/v1%2F0/edit`);
    assert.equal(_links.closed_issues_url, `${web}/-/issues?release_tag=v1%2F0&scope=all&state=closed`);
    const read = expectStatus<ReleaseJson>(await app.get(`${pathOf(made)}/v1%2F0`), 200);
    assert.deepEqual(read, release);
    assert.deepEqual(expectStatus(await app.get(pathOf(made)), 200), [release]);
    const html = { query: { include_html_description: true } };
    const shown = expectStatus<ReleaseJson>(await app.get(`${pathOf(made)}/v1%2F0`, html), 200);
    assert.equal(
      shown.description_html,
      '<p data-sourcepos="1:1-1:5" dir="auto">Notes</p>\n<p data-sourcepos="3:1-3:4" dir="auto">More</p>',
    );
    const [listed] = expectStatus<ReleaseJson[]>(await app.get(pathOf(made), html), 200);
    assert.equal(listed?.description_html, shown.description_html);
  });

  test('makes the tag where there is none, an annotated one with a message, and tells of it as of a push', async (t) => {
    const made = await seededProject(app, t);
    const { git, head, side, project } = made;
    const plain = await create(made, { tag_name: 'v1', ref: 'main' });
    assert.deepEqual([plain.name, plain.description, plain.commit?.id], ['v1', null, head]);
    assert.equal(git.git(['cat-file', '-t', 'refs/tags/v1']).trim(), 'commit');
    const annotated = await create(made, { tag_name: 'v2', ref: side, tag_message: 'Two' });
    assert.equal(annotated.commit?.id, side);
    assert.match(git.git(['cat-file', 'tag', 'refs/tags/v2']), /\n\nTwo/);
    const events = await app.deps.db
      .selectFrom('domain_events')
      .select('type')
      .where('project_id', '=', project.id)
      .where('type', 'in', ['push', 'release.created'])
      .orderBy('id')
      .execute();
    assert.deepEqual(
      events.map(({ type }) => type),
      ['push', 'release.created', 'push', 'release.created'],
    );
  });

  test('a tag that names no commit is released without one', async (t) => {
    const made = await seededProject(app, t);
    made.git.git(['tag', 'tree', `${made.head}^{tree}`]);
    const release = await create(made, { tag_name: 'tree' });
    assert.equal(release.commit, null);
    assert.equal(release.commit_path, undefined);
  });

  test('a commit with a long message is shown whole', async (t) => {
    const made = await seededProject(app, t);
    const text = `long\n\n${'x'.repeat(40_000)}\n`;
    const oid = made.git.commit({ 'a.txt': 'long\n' }, [made.head], text);
    made.git.git(['tag', 'long', oid]);
    const release = await create(made, { tag_name: 'long' });
    assert.equal(release.commit?.message, text);
    const direct = expectStatus<{ id: string }>(await app.get(`${made.path}/commits/${oid}`), 200);
    assert.equal(direct.id, release.commit?.id);
  });

  test('refuses in the words of the platform, and leaves no tag behind', async (t) => {
    const made = await seededProject(app, t);
    const path = pathOf(made);
    const bad = (json: object, status = 400) => refusal(path, { tag_name: 'v9', ref: 'main', ...json }, status);
    assert.equal(message(expectStatus(await app.post(path, { json: {} }), 400)), 'tag_name is missing');
    assert.equal(await refusal(path, { tag_name: 'none' }, 422), 'Ref is not specified');
    assert.equal(await bad({ ref: 'nowhere' }), 'Target nowhere is invalid');
    for (const tag_name of ['a..b', made.head, `${made.head}-x`, 'refs/tags/x', '-d', 'x'.repeat(2_000)]) {
      assert.equal(await bad({ tag_name }), 'Tag name invalid', tag_name);
    }
    for (const json of [{ tag_name: 'a\0b' }, { name: 'a\0b' }, { milestones: ['a\0b'] }]) await bad(json);
    for (const id of [0, -1, 2 ** 53, '9'.repeat(30)]) await bad({ milestone_ids: [id] });
    assert.equal(await bad({ milestones: ['a', 'b'] }), 'Milestone(s) not found: a, b');
    assert.equal(await bad({ milestone_ids: [987654] }), 'Milestone id(s) not found: 987654');
    assert.match(await bad({ milestones: [], milestone_ids: [1] }), /Cannot specify milestones and milestone_ids/);
    assert.match(await bad({ name: 'x'.repeat(256) }), /^Validation failed: Name is too long/);
    assert.match(await bad({ description: 'x'.repeat(1_000_001) }), /^Validation failed: Description is too long/);
    const link = { name: 'a', url: 'https://example.org/a' };
    assert.match(
      await bad({ assets: { links: [{ url: 'https://x.org' }] } }),
      /assets\[links\]\[0\]\[name\] is missing/,
    );
    assert.match(
      await bad({ assets: { links: [link, { ...link, name: 'b' }] } }),
      /^Validation failed: Links url has already been taken/,
    );
    assert.match(
      await bad({ assets: { links: [{ ...link, url: 'javascript:alert(1)' }] } }),
      /^Validation failed: Links url is blocked: Only allowed schemes/,
    );
    assert.match(await bad({ assets: { links: [{ ...link, link_type: 'x' }] } }), /does not have a valid value/);
    assert.match(await bad({ released_at: 'soon' }), /released_at is invalid/);
    assert.equal(made.git.git(['tag', '--list']), '');
    await create(made, { tag_name: 'v9', ref: 'main' });
    assert.equal(await bad({}, 409), 'Release already exists');
  });

  test('texts that are half a character break nothing', async (t) => {
    const made = await seededProject(app, t);
    const half = '\ud83d';
    const post = (json: object) => app.post(pathOf(made), { json });
    for (const json of [
      { tag_name: `v${half}`, ref: 'main' },
      { tag_name: 'v1', ref: 'main', name: half, description: half, tag_message: half },
      { tag_name: 'v2', ref: half, milestones: [half] },
      { tag_name: 'v3', ref: 'main', assets: { links: [{ name: half, url: `https://x.org/${half}` }] } },
    ]) {
      const { statusCode, body } = await post(json);
      assert.ok(statusCode === 201 || statusCode === 400, body);
    }
    expectStatus(await app.get(pathOf(made)), 200);
    for (const tag of [half, `v${half}`]) {
      const { statusCode } = await app.get(`${pathOf(made)}/${encodeURIComponent(tag.toWellFormed())}`);
      assert.equal(statusCode, 404);
    }
  });

  test('takes what release-cli and old clients send', async (t) => {
    const made = await seededProject(app, t);
    const release = await create(made, {
      id: String(made.project.id),
      name: '',
      description: '',
      tag_name: 'v1',
      tag_message: '',
      ref: made.head,
      milestones: [],
      assets: { links: [{ name: 'a', url: 'ftp://example.org/a', filepath: '/a/b.zip' }] },
      released_at: '2026-01-01T00:00:00Z',
      legacy_catalog_publish: false,
    });
    assert.deepEqual([release.name, release.released_at], ['v1', '2026-01-01T00:00:00.000Z']);
    assert.match(release.assets.links[0]!.direct_asset_url, /\/downloads\/a\/b\.zip$/);
    const form = 'tag_name=v2&ref=main&assets[links][][name]=x&assets[links][][url]=https://x.org/&milestones[]=';
    const second = expectStatus<ReleaseJson>(await app.post(pathOf(made), { form }), 201);
    assert.equal(second.assets.links[0]?.name, 'x');
  });

  test('milestones of groups above the project count, those of others do not', async (t) => {
    const top = await app.make.group();
    const group = await app.make.group({ parent: top });
    const inGroup = await app.make.project({ namespace: group });
    const other = await app.make.group();
    const of = async (place: string, title: string) =>
      expectStatus<{ id: number }>(await app.post(`/${place}/milestones`, { json: { title } }), 201).id;
    const above = await of(`groups/${top.id}`, 'above');
    const elsewhere = await of(`groups/${other.id}`, 'elsewhere');
    const { repository_storage: storage, disk_path: diskPath } = inGroup;
    const { gitFixture } = await import('../../../../test/support/git-fixture.ts');
    const git = gitFixture(t, { dir: app.deps.storages.dirOf({ storage, diskPath }) });
    git.git(['update-ref', 'refs/tags/v1', git.commit({ a: '1' }, [], 'first\n')]);
    const path = `/projects/${inGroup.id}/releases`;
    assert.equal(
      await refusal(path, { tag_name: 'v1', milestones: ['elsewhere'] }, 400),
      'Milestone(s) not found: elsewhere',
    );
    await refusal(path, { tag_name: 'v1', milestone_ids: [elsewhere] }, 400);
    const json = { tag_name: 'v1', milestone_ids: [above] };
    const made = expectStatus<ReleaseJson>(await app.post(path, { json }), 201);
    assert.deepEqual(
      made.milestones?.map(({ id, group_id }) => [id, group_id]),
      [[above, top.id]],
    );
  });
});

describe('GET releases', () => {
  test('orders, filters and pages', async (t) => {
    const made = await seededProject(app, t);
    for (const [tag_name, released_at] of [
      ['a', '2026-03-01T00:00:00Z'],
      ['b', '2026-01-01T00:00:00Z'],
      ['c', '2027-01-01T00:00:00Z'],
    ]) {
      await create(made, { tag_name, released_at, ref: 'main' });
      clock.advance(60_000);
    }
    const tags = async (query = {}) =>
      expectStatus<ReleaseJson[]>(await app.get(pathOf(made), { query }), 200).map(({ tag_name }) => tag_name);
    assert.deepEqual(await tags(), ['c', 'a', 'b']);
    assert.deepEqual(await tags({ sort: 'asc' }), ['b', 'a', 'c']);
    assert.deepEqual(await tags({ order_by: 'created_at' }), ['c', 'b', 'a']);
    assert.deepEqual(await tags({ order_by: 'created_at', sort: 'asc' }), ['a', 'b', 'c']);
    assert.deepEqual(await tags({ per_page: 1, page: 2 }), ['a']);
    const now = clock.now().getTime();
    const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
    assert.deepEqual(await tags({ updated_after: ago(2) }), ['c', 'b']);
    assert.deepEqual(await tags({ updated_before: ago(3) }), ['a']);
    const { headers } = await app.get(pathOf(made), { query: { per_page: 2 } });
    assert.deepEqual([headers['x-total'], headers['x-next-page']], ['3', '2']);
    expectStatus(await app.get(pathOf(made), { query: { order_by: 'name' } }), 400);
    expectStatus(await app.get(pathOf(made), { query: { sort: 'up' } }), 400);
    const all = expectStatus<ReleaseJson[]>(await app.get(pathOf(made)), 200);
    assert.deepEqual(
      all.map(({ upcoming_release }) => upcoming_release),
      [true, false, false],
    );
  });

  test('a page with many assets waits for its share of the memory', async (t) => {
    const made = await seededProject(app, t);
    const links = Array.from({ length: 500 }, (_, n) => ({ name: `${n}`, url: `http://x/${n}/${'y'.repeat(2_000)}` }));
    for (const tag_name of ['a', 'b']) await create(made, { tag_name, ref: 'main', assets: { links } });
    const { memory } = app.deps;
    const leave = await memory.take('another caller', { cost: memory.total });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    let answered = false;
    const response = app.get(pathOf(made)).finally(() => {
      answered = true;
    });
    while (memory.waiting === 0 && !answered) await turn();
    assert.equal(answered, false);
    leave();
    assert.ok(memory.held > 2 * 500 * 2_000, `${memory.held} bytes`);
    const shown = expectStatus<ReleaseJson[]>(await response, 200);
    assert.deepEqual(
      shown.map(({ assets }) => assets.links.length),
      [500, 500],
    );
    while (memory.held > 0) await turn();
  });

  test('a release that is not there is 404', async (t) => {
    const made = await seededProject(app, t);
    made.git.git(['tag', 'v1', made.head]);
    expectStatus(await app.get(`${pathOf(made)}/v1`), 404);
    assert.equal(
      message(expectStatus(await app.put(`${pathOf(made)}/v1`, { json: { name: 'x' } }), 404)),
      'Release does not exist',
    );
    assert.equal(
      message(expectStatus(await app.put(`${pathOf(made)}/v2`, { json: { name: 'x' } }), 404)),
      'Tag does not exist',
    );
    assert.equal(message(expectStatus(await app.delete(`${pathOf(made)}/v1`), 404)), 'Release does not exist');
    assert.equal(message(expectStatus(await app.post(`${pathOf(made)}/v1/evidence`), 404)), 'Release does not exist');
  });
});

describe('PUT and DELETE releases', () => {
  test('change what is given, and milestones as a whole', async (t) => {
    const made = await seededProject(app, t);
    const { project } = made;
    const one = await create(made, { tag_name: 'v1', ref: 'main', name: 'One', description: 'First' });
    const ids: number[] = [];
    for (const title of ['later', 'sooner']) {
      const json = { title, ...(title === 'sooner' ? { due_date: '2026-07-01' } : {}) };
      ids.push(expectStatus<{ id: number }>(await app.post(`/projects/${project.id}/milestones`, { json }), 201).id);
    }
    const put = async (json: object) => expectStatus<ReleaseJson>(await app.put(`${pathOf(made)}/v1`, { json }), 200);
    assert.equal(message(expectStatus(await app.put(`${pathOf(made)}/v1`, { json: {} }), 400)), 'params is empty');
    const named = await put({ name: 'Renamed' });
    assert.deepEqual([named.name, named.description], ['Renamed', 'First']);
    assert.equal((await put({ name: '' })).name, 'v1');
    const both = await put({ milestones: ['later', 'sooner'], description: 'Now' });
    assert.deepEqual([both.description, both.milestones?.map(({ title }) => title)], ['Now', ['sooner', 'later']]);
    await app.post(`/projects/${project.id}/issues`, { json: { title: 'open', milestone_id: ids[0] } });
    const issue = expectStatus<{ iid: number }>(
      await app.post(`/projects/${project.id}/issues`, { json: { title: 'done', milestone_id: ids[0] } }),
      201,
    );
    await app.put(`/projects/${project.id}/issues/${issue.iid}`, { json: { state_event: 'close' } });
    const counted = await put({ milestone_ids: [ids[0]] });
    assert.deepEqual(
      counted.milestones?.map(({ issue_stats }) => issue_stats),
      [{ total: 2, closed: 1 }],
    );
    assert.equal((await put({ milestones: [] })).milestones, undefined);
    assert.equal(
      message(expectStatus(await app.put(`${pathOf(made)}/v1`, { json: { milestones: ['x'] } }), 400)),
      'Milestone(s) not found: x',
    );
    const moved = await put({ released_at: '2020-01-01' });
    assert.equal(moved.released_at, '2020-01-01T00:00:00.000Z');
    assert.equal(moved.created_at, one.created_at);
  });

  test('a release goes and its tag stays; with its tag it goes, too, unless that is pushed away', async (t) => {
    const made = await seededProject(app, t);
    const one = await create(made, {
      tag_name: 'v1',
      ref: 'main',
      assets: { links: [{ name: 'a', url: 'http://a' }] },
    });
    assert.deepEqual(expectStatus(await app.delete(`${pathOf(made)}/v1`), 200), one);
    expectStatus(await app.get(`${pathOf(made)}/v1`), 404);
    assert.equal(made.git.git(['tag', '--list']).trim(), 'v1');
    await create(made, { tag_name: 'v1', description: 'Again' });
    await create(made, { tag_name: 'v2', ref: 'main' });
    expectStatus(await app.delete(`${made.path}/tags/v1`), 204);
    expectStatus(await app.get(`${pathOf(made)}/v1`), 404);
    const events = await app.deps.db
      .selectFrom('domain_events')
      .select('payload')
      .where('project_id', '=', made.project.id)
      .where('type', '=', 'release.destroyed')
      .execute();
    assert.deepEqual(
      events.map(({ payload }) => JSON.parse(payload).release.tag),
      ['v1', 'v1'],
    );
    made.git.git(['update-ref', '-d', 'refs/tags/v2']);
    const orphan = expectStatus<ReleaseJson>(await app.get(`${pathOf(made)}/v2`), 200);
    assert.equal(orphan.commit?.id, made.head);
    assert.equal(
      message(expectStatus(await app.put(`${pathOf(made)}/v2`, { json: { name: 'x' } }), 404)),
      'Tag does not exist',
    );
    expectStatus(await app.delete(`${pathOf(made)}/v2`), 200);
  });

  test('a milestone that is promoted stays that of its releases', async (t) => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    const { gitFixture } = await import('../../../../test/support/git-fixture.ts');
    const { repository_storage: storage, disk_path: diskPath } = project;
    const git = gitFixture(t, { dir: app.deps.storages.dirOf({ storage, diskPath }) });
    git.git(['update-ref', 'refs/tags/v1', git.commit({ a: '1' }, [], 'first\n')]);
    const { id } = expectStatus<{ id: number }>(
      await app.post(`/projects/${project.id}/milestones`, { json: { title: 'M' } }),
      201,
    );
    const path = `/projects/${project.id}/releases`;
    expectStatus(await app.post(path, { json: { tag_name: 'v1', milestones: ['M'] } }), 201);
    expectStatus(await app.post(`/projects/${project.id}/milestones/${id}/promote`), 200);
    const shown = expectStatus<ReleaseJson>(await app.get(`${path}/v1`), 200);
    assert.deepEqual(
      shown.milestones?.map(({ title, group_id }) => [title, group_id]),
      [['M', group.id]],
    );
  });
});

test('tags show their release to those who may read releases', async (t) => {
  const made = await seededProject(app, t, { visibility: 'public' });
  made.git.git(['tag', 'bare', made.head]);
  await create(made, { tag_name: 'v1', ref: 'main', description: 'Notes' });
  const tags = expectStatus<{ name: string; release: object | null }[]>(
    await app.get(`${made.path}/tags`, { query: { order_by: 'name', sort: 'asc' } }),
    200,
  );
  assert.deepEqual(
    tags.map(({ name, release }) => [name, release]),
    [
      ['bare', null],
      ['v1', { tag_name: 'v1', description: 'Notes' }],
    ],
  );
  const one = expectStatus<{ release: object }>(await app.get(`${made.path}/tags/v1`, { token: null }), 200);
  assert.deepEqual(one.release, { tag_name: 'v1', description: 'Notes' });
  expectStatus(await app.put(`/projects/${made.project.id}`, { json: { releases_access_level: 'private' } }), 200);
  const hidden = expectStatus<{ release: null }>(await app.get(`${made.path}/tags/v1`, { token: null }), 200);
  assert.equal(hidden.release, null);
  expectStatus(await app.get(pathOf(made), { token: null }), 404);
});
