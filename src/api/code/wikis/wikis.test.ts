import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { beforeTransaction } from '../../../../test/support/meanwhile.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { changeSettings } from '../../../../test/support/settings.ts';
import { commitToWiki, page } from '../../../../test/support/wikis.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { ensureWiki } from '../../../repositories/repository.wikis.ts';

interface Page {
  slug: string;
  title: string;
  format: string;
  content: string;
  encoding: string;
  front_matter: Record<string, unknown>;
  wiki_page_meta_id: number;
}

let app: TestApp;
let project: Project;
let group: Namespace;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group();
});
after(() => app.close());

const fresh = async () => {
  project = await app.make.project({ namespace: group });
  return `/projects/${project.id}/wikis`;
};
const encode = encodeURIComponent;
const create = async (wiki: string, json: object, status = 201) =>
  expectStatus<Page>(await app.post(wiki, { json }), status);
const show = async (wiki: string, slug: string, query = {}) =>
  expectStatus<Page>(await app.get(`${wiki}/${encode(slug)}`, { query }), 200);
const slugs = async (wiki: string) => expectStatus<Page[]>(await app.get(wiki), 200).map(({ slug }) => slug);
const pathOfGroup = async (id: number) =>
  expectStatus<{ full_path: string }>(await app.get(`/groups/${id}`), 200).full_path;
const messageOf = (response: unknown) => (response as { message?: string; error?: string }).message;

for (const kind of ['project', 'group'] as const) {
  describe(`the wiki of a ${kind}`, () => {
    let wiki: string;
    before(async () => {
      if (kind === 'project') wiki = await fresh();
      else wiki = `/groups/${(await app.make.group()).id}/wikis`;
    });

    test('is empty at first', async () => {
      assert.deepEqual(expectStatus(await app.get(wiki), 200), []);
      assert.equal(messageOf(expectStatus(await app.get(`${wiki}/home`), 404)), '404 Wiki Page Not Found');
      expectStatus(await app.put(`${wiki}/home`, { json: { content: 'x' } }), 404);
      expectStatus(await app.delete(`${wiki}/home`), 404);
    });

    test('gets pages, in folders too, and shows them by their slugs', async () => {
      const home = await create(wiki, { title: 'home', content: 'Hello' });
      const { wiki_page_meta_id: id, ...rest } = home;
      assert.ok(id > 0);
      assert.deepEqual(rest, {
        format: 'markdown',
        slug: 'home',
        title: 'home',
        content: 'Hello',
        encoding: 'UTF-8',
        front_matter: {},
      });
      const first = await create(wiki, { title: ' Guides /  First   steps ', content: 'One', format: 'asciidoc' });
      assert.deepEqual([first.slug, first.title, first.format], ['Guides/First-steps', 'First steps', 'asciidoc']);
      assert.deepEqual(await show(wiki, 'Guides/First-steps'), first);
      assert.deepEqual(await show(wiki, 'guides/first steps'), first, 'whatever its letter case');
      assert.deepEqual(expectStatus(await app.get(`${wiki}/Guides/First-steps`), 200), first, 'slashes as they are');
      assert.deepEqual(await slugs(wiki), ['Guides/First-steps', 'home']);
      const list = expectStatus<Page[]>(await app.get(wiki), 200);
      assert.deepEqual(Object.keys(list[0]!).sort(), ['format', 'slug', 'title', 'wiki_page_meta_id']);
      assert.deepEqual(expectStatus(await app.get(wiki, { query: { with_content: 'true' } }), 200), [first, home]);
    });

    test('changes text, title and format, and the number of a page stays', async () => {
      const before = await show(wiki, 'home');
      const changed = expectStatus<Page>(await app.put(`${wiki}/home`, { json: { content: 'Hello again' } }), 200);
      assert.deepEqual(changed, { ...before, content: 'Hello again' });
      const renamed = expectStatus<Page>(await app.put(`${wiki}/home`, { json: { title: 'Front door' } }), 200);
      assert.deepEqual(renamed, { ...changed, slug: 'Front-door', title: 'Front door' });
      const other = expectStatus<Page>(await app.put(`${wiki}/Front-door`, { json: { format: 'org' } }), 200);
      assert.deepEqual([other.format, other.slug, other.content], ['org', 'Front-door', 'Hello again']);
      const unchanged = expectStatus<Page>(await app.put(`${wiki}/Front-door`, { json: { content: 'x' } }), 200);
      assert.equal(unchanged.format, 'org', 'a format that is not named stays');
      expectStatus(await app.get(`${wiki}/home`), 404);
    });

    test('a title without folders stays in the folder of the page, a slash leads to the root', async () => {
      const steps = `${wiki}/${encode('Guides/First-steps')}`;
      const there = expectStatus<Page>(await app.put(steps, { json: { title: 'Steps' } }), 200);
      assert.equal(there.slug, 'Guides/Steps');
      const up = expectStatus<Page>(
        await app.put(`${wiki}/${encode('Guides/Steps')}`, { json: { title: '/Steps' } }),
        200,
      );
      assert.equal(up.slug, 'Steps');
    });

    test('loses pages', async () => {
      expectStatus(await app.delete(`${wiki}/Steps`), 204);
      expectStatus(await app.get(`${wiki}/Steps`), 404);
      expectStatus(await app.delete(`${wiki}/Steps`), 404);
      assert.deepEqual(await slugs(wiki), ['Front-door']);
    });

    test('takes attachments into its repository', async () => {
      const { body, headers } = multipart({}, { field: 'file', name: 'A picture.png', bytes: Buffer.from('png') });
      const made = expectStatus<{ file_name: string; file_path: string; branch: string; link: object }>(
        await app.post(`${wiki}/attachments`, { body, headers }),
        201,
      );
      assert.match(made.file_path, /^uploads\/[0-9a-f]{32}\/A_picture\.png$/);
      assert.deepEqual(made, {
        file_name: 'A_picture.png',
        file_path: made.file_path,
        branch: 'main',
        link: { url: made.file_path, markdown: `![A_picture](${made.file_path})` },
      });
      const owner = kind === 'project' ? project.full_path : `groups/${await pathOfGroup(Number(wiki.split('/')[2]))}`;
      const at = (path: string, token: string | null = ROOT_TOKEN) =>
        app.instance.server.app.inject({
          url: `/${owner}/-/wikis/${path}`,
          headers: token === null ? {} : { 'private-token': token },
        });
      const shown = await at(made.file_path);
      assert.deepEqual(
        [owner, shown.statusCode, shown.body, shown.headers['content-type']],
        [owner, 200, 'png', 'image/png'],
      );
      assert.equal((await at(made.file_path.replace('A_', 'B_'))).statusCode, 404);
      assert.equal((await at(made.file_path, null)).statusCode, 404);
      assert.equal(
        (expectStatus(await app.post(`${wiki}/attachments`, { json: {} }), 400) as { error: string }).error,
        'file is missing',
      );
    });
  });
}

describe('versions', () => {
  test('are had by their commits, under the name that the page had then', async () => {
    const wiki = await fresh();
    await create(wiki, { title: 'home', content: 'first' });
    const repo = repositoryOf(app.deps, await ensureWiki(app.deps, { type: 'project', id: project.id }));
    const version = (await repo.refs.resolve('refs/heads/main'))!;
    expectStatus(await app.put(`${wiki}/home`, { json: { content: 'second', title: 'start' } }), 200);
    assert.equal((await show(wiki, 'home', { version })).content, 'first');
    assert.equal((await show(wiki, 'start')).content, 'second');
    expectStatus(await app.get(`${wiki}/start`, { query: { version } }), 404);
    for (const bad of ['foobar', 'f'.repeat(40), '--help', 'main:home.md']) {
      assert.equal(
        messageOf(expectStatus(await app.get(`${wiki}/home`, { query: { version: bad } }), 404)),
        '404 Wiki Page Not Found',
      );
    }
  });
});

describe('front matter', () => {
  test('is a part of the text, shown apart, and can be given', async () => {
    const wiki = await fresh();
    const text = '---\ntitle: Foo\nslugs:\n  - a\n---\n\nText\n';
    const made = await create(wiki, { title: 'home', content: text });
    assert.deepEqual([made.content, made.front_matter], [text, { title: 'Foo', slugs: ['a'] }]);
    const json = { content: 'New', front_matter: { title: 'Bar' } };
    const changed = expectStatus<Page>(await app.put(`${wiki}/home`, { json }), 200);
    assert.deepEqual([changed.content, changed.front_matter], ['---\ntitle: Bar\n---\n\nNew', { title: 'Bar' }]);
  });

  test('that is no map, or stands for much more than it says, is none', async () => {
    const wiki = await fresh();
    const aliases = `a: &a [x]\nb: [${'*a, '.repeat(500)}]`;
    const deep = `a: ${'['.repeat(2_000)}${']'.repeat(2_000)}`;
    for (const [index, block] of ['just text', '- a', 'a: @b', '', aliases, deep].entries()) {
      const { front_matter } = await create(wiki, { title: `p${index}`, content: `---\n${block}\n---\nText` });
      assert.deepEqual(front_matter, {}, block.slice(0, 20));
    }
  });
});

describe('HTML', () => {
  test('is made of the text, with links among the pages, and nothing of it runs', async () => {
    const wiki = await fresh();
    const content = '---\ntitle: Foo\n---\n# Hi\n\n[next](./b) <script>alert(1)</script>';
    await create(wiki, { title: 'dir/a', content });
    const shown = await show(wiki, 'dir/a', { render_html: 'true' });
    assert.equal(
      shown.content,
      [
        '<h1 data-sourcepos="1:1-1:4" dir="auto"><a id="user-content-hi" class="anchor" href="#user-content-hi" aria-hidden="true"></a>Hi</h1>',
        `<p data-sourcepos="3:1-3:37" dir="auto"><a href="/${project.full_path}/-/wikis/dir/b">next</a> &lt;script&gt;alert(1)&lt;/script&gt;</p>`,
      ].join('\n'),
    );
    assert.deepEqual(shown.front_matter, { title: 'Foo' });
    assert.equal((await show(wiki, 'dir/a', { render_html: 'false' })).content, content);
    await create(wiki, { title: 'plain', content: '= <b>', format: 'rdoc' });
    assert.equal((await show(wiki, 'plain', { render_html: 'true' })).content, '<pre dir="auto">= &lt;b&gt;</pre>');
    await create(wiki, { title: 'long', content: '*x* '.repeat(5_000) });
    assert.match((await show(wiki, 'long', { render_html: 'true' })).content, /^<p .*<em>x<\/em> <em>x/);
    await create(wiki, { title: 'longest', content: 'x'.repeat(1024 * 1024 + 1) });
    expectStatus(await app.get(`${wiki}/longest`, { query: { render_html: 'true' } }), 422);
  });
});

describe('what is refused', () => {
  test('a title that is missing, blank, too long or no name', async () => {
    const wiki = await fresh();
    const refused = async (json: object) => {
      const response = (await create(wiki, json, 400)) as unknown as { message?: string; error?: string };
      return response.error ?? response.message;
    };
    assert.equal(await refused({ content: 'x' }), 'title is missing');
    assert.equal(await refused({ title: 'x' }), 'content is missing');
    for (const title of ['', '  ', '/', '..', '../..', './']) {
      assert.equal(await refused({ title, content: 'x' }), "title can't be blank", title);
    }
    assert.equal(await refused({ title: 'a'.repeat(246), content: 'x' }), 'title exceeds the limit of 245 bytes');
    assert.equal(
      await refused({ title: `${'ä'.repeat(128)}/x`, content: 'x' }),
      `title exceeds the limit of 255 bytes for directory name "${'ä'.repeat(128)}"`,
    );
    assert.match((await refused({ title: 'abc/'.repeat(600), content: 'x' }))!, /exceeds the limit of 1990 bytes/);
    assert.equal(await refused({ title: 'a\u0007b', content: 'x' }), 'title must not contain control characters');
    assert.equal(await refused({ title: 'x', content: 'x', format: 'html' }), 'format does not have a valid value');
    for (const title of ['.git/config', 'a/.GIT/b', '.git /x', 'git~1/x']) {
      assert.match((await refused({ title, content: 'x' }))!, /^invalid path: /, title);
    }
    assert.match(
      (await refused({ title: 'x', content: 'y'.repeat(5 * 1024 * 1024 + 1) }))!,
      /^content is too long \(5 MiB\)\. The maximum size is 5 MiB\.$/,
    );
    assert.deepEqual(await slugs(wiki), []);
  });

  test('a title that leads out of the wiki stays in it', async () => {
    const wiki = await fresh();
    assert.equal((await create(wiki, { title: '../../etc/passwd', content: 'x' })).slug, 'etc/passwd');
    assert.equal((await create(wiki, { title: '~/test', content: 'x' })).slug, '~/test');
    assert.equal((await create(wiki, { title: 'a.git', content: 'x' })).slug, 'a.git');
    for (const slug of ['../../../HEAD', '/', 'etc/../etc/passwd', 'etc//passwd', '%00', 'a\0b']) {
      const response = await app.get(`${wiki}/${encode(slug)}`);
      assert.ok([400, 404].includes(response.statusCode), `${slug}: ${response.statusCode} ${response.body}`);
    }
  });

  test('a page that is there already, in another letter case or format too', async () => {
    const wiki = await fresh();
    await create(wiki, { title: 'Some Page', content: 'x' });
    for (const [title, format] of [
      ['Some Page', 'markdown'],
      ['some-page', 'markdown'],
      ['Some Page', 'org'],
    ]) {
      assert.equal(
        messageOf(await create(wiki, { title, content: 'y', format }, 400)),
        'Duplicate page: A page with that title already exists in the file Some-Page.md',
      );
    }
    await create(wiki, { title: 'other', content: 'x' });
    const response = expectStatus(await app.put(`${wiki}/other`, { json: { title: 'Some page' } }), 400);
    assert.equal(messageOf(response), 'There is already a page with the same title in that path.');
    const recased = expectStatus<Page>(await app.put(`${wiki}/Some-Page`, { json: { title: 'some page' } }), 200);
    assert.equal(recased.slug, 'some-page');
  });

  test('a page below a file', async () => {
    const wiki = await fresh();
    await commitToWiki(app, { type: 'project', id: project.id }, [page('a')]);
    assert.match(messageOf(await create(wiki, { title: 'a/b', content: 'x' }, 400))!, /./);
  });

  test('an update of nothing', async () => {
    const wiki = await fresh();
    await create(wiki, { title: 'home', content: 'x' });
    const response = expectStatus<{ error: string }>(await app.put(`${wiki}/home`, { json: {} }), 400);
    assert.equal(response.error, 'content, title, format are missing, at least one parameter must be provided');
  });
});

describe('the repository', () => {
  test('gets a commit of the user for each change, and none where nothing changes', async () => {
    const wiki = await fresh();
    await create(wiki, { title: 'Some page', content: 'x' });
    expectStatus(await app.put(`${wiki}/Some-page`, { json: { content: 'y' } }), 200);
    expectStatus(await app.put(`${wiki}/Some-page`, { json: { content: 'y' } }), 200);
    expectStatus(await app.put(`${wiki}/Some-page`, { json: { title: 'Some page' } }), 200);
    expectStatus(await app.delete(`${wiki}/Some-page`), 204);
    const repo = repositoryOf(app.deps, await ensureWiki(app.deps, { type: 'project', id: project.id }));
    const messages: string[] = [];
    for (let oid = await repo.refs.resolve('refs/heads/main'); oid !== undefined && oid !== null; ) {
      const commit = (await repo.objects.commit(oid))!;
      messages.unshift(`${commit.author.name}: ${commit.message}`);
      oid = commit.parents[0] ?? null;
    }
    assert.deepEqual(messages, [
      'Administrator: root created page: Some page',
      'Administrator: root updated page: Some page',
      'Administrator: root deleted page: Some page',
    ]);
  });

  test('may hold what is no page, links too: these are never followed', async () => {
    const wiki = await fresh();
    const owner = { type: 'project' as const, id: project.id };
    await commitToWiki(app, owner, [
      page('a.markdown', 'one'),
      page('b.TXT', 'two'),
      page('c.html'),
      page('.md'),
      page('.gitlab/redirects.yml'),
      page('My Page.md', 'three'),
    ]);
    assert.deepEqual(await slugs(wiki), ['My Page', 'a', 'b']);
    assert.equal((await show(wiki, 'My Page')).content, 'three');
    assert.equal((await show(wiki, 'b')).format, 'plaintext');
    const unchanged = expectStatus<Page>(await app.put(`${wiki}/a`, { json: { content: '1' } }), 200);
    assert.deepEqual([unchanged.slug, unchanged.format], ['a', 'markdown']);
  });

  test('pages below a page go with it, and keep their numbers', async () => {
    const wiki = await fresh();
    for (const title of ['a', 'a/b', 'a/b/c', 'ab']) await create(wiki, { title, content: title });
    const { wiki_page_meta_id: id } = await show(wiki, 'a/b/c');
    expectStatus(await app.put(`${wiki}/a`, { json: { title: 'z' } }), 200);
    assert.deepEqual(await slugs(wiki), ['ab', 'z', 'z/b', 'z/b/c']);
    assert.equal((await show(wiki, 'z/b/c')).wiki_page_meta_id, id);
  });

  test('many who write at once lose nothing', async () => {
    const wiki = await fresh();
    const titles = Array.from({ length: 12 }, (_, index) => `page-${index}`);
    await Promise.all(titles.map((title) => create(wiki, { title, content: title })));
    const same = await Promise.all(titles.map(() => app.post(wiki, { json: { title: 'same', content: 'x' } })));
    assert.deepEqual(same.map(({ statusCode }) => statusCode).sort(), [201, ...Array(11).fill(400)]);
    await Promise.all(titles.map((title) => app.put(`${wiki}/same`, { json: { content: title } })));
    assert.deepEqual((await slugs(wiki)).sort(), [...titles, 'same'].sort());
  });
});

describe('who may', () => {
  const ROLES = ['anonymous', 'stranger', 'guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const;
  type Role = (typeof ROLES)[number];
  let tokens: Record<Role, string | null>;
  let closed: Namespace;
  before(async () => {
    closed = await app.make.group();
    const users = await Promise.all(
      [10, 15, 20, 30, 40, 50].map(async (level) => {
        const made = await app.make.user();
        await app.make.member({ group: closed }, made.user, level);
        return made.token;
      }),
    );
    const [guest, planner, reporter, developer, maintainer, owner] = users as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const stranger = (await app.make.user()).token;
    tokens = { anonymous: null, stranger, guest, planner, reporter, developer, maintainer, owner };
  });

  const ask = async (wiki: string, role: Role) => {
    const token = tokens[role];
    const title = `by-${role}`;
    const read = (await app.get(wiki, { token })).statusCode;
    const made = (await app.post(wiki, { token, json: { title, content: 'x' } })).statusCode;
    const changed = (await app.put(`${wiki}/there`, { token, json: { content: role } })).statusCode;
    await app.post(wiki, { json: { title: `to-go-${role}`, content: 'x' } });
    const removed = (await app.delete(`${wiki}/to-go-${role}`, { token })).statusCode;
    const { body, headers } = multipart({}, { field: 'file', name: 'a.txt', bytes: Buffer.from('x') });
    const attached = (await app.post(`${wiki}/attachments`, { token, body, headers })).statusCode;
    return [read, made, changed, removed, attached].join(' ');
  };
  const all = async (wiki: string) => {
    await app.post(wiki, { json: { title: 'there', content: 'x' } });
    const answers: Partial<Record<Role, string>> = {};
    for (const role of ROLES) answers[role] = await ask(wiki, role);
    return answers;
  };
  const NONE = '404 404 404 404 404';
  const READ = '200 403 403 403 403';
  const MEMBERS = {
    guest: READ,
    planner: '200 201 200 204 201',
    reporter: READ,
    developer: '200 201 200 403 201',
    maintainer: '200 201 200 204 201',
    owner: '200 201 200 204 201',
  };

  test('in a private project and a private group', async () => {
    const inside = await app.make.project({ namespace: closed });
    const expected = { anonymous: '404 401 401 401 401', stranger: NONE, ...MEMBERS };
    assert.deepEqual(await all(`/projects/${inside.id}/wikis`), expected);
    assert.deepEqual(await all(`/groups/${closed.id}/wikis`), expected);
  });

  test('in public ones', async () => {
    const inside = await app.make.project({ namespace: closed });
    await app.deps.db.updateTable('namespaces').set({ visibility: 'public' }).where('id', '=', closed.id).execute();
    await app.deps.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', inside.id).execute();
    const expected = { anonymous: '200 401 401 401 401', stranger: READ, ...MEMBERS };
    assert.deepEqual(await all(`/projects/${inside.id}/wikis`), expected);
    await app.delete(`/groups/${closed.id}/wikis/by-planner`);
    for (const role of ROLES) await app.delete(`/groups/${closed.id}/wikis/by-${role}`);
    assert.deepEqual(await all(`/groups/${closed.id}/wikis`), expected);
  });

  test('where the wiki is for members, or for nobody', async () => {
    const inside = await app.make.project({ namespace: closed, visibility: 'public' });
    const set = async (level: string) => {
      expectStatus(await app.put(`/projects/${inside.id}`, { json: { wiki_access_level: level } }), 200);
      expectStatus(await app.put(`/groups/${closed.id}`, { json: { wiki_access_level: level } }), 200);
    };
    const reads = async (path: string) => {
      const answers: number[] = [];
      for (const role of ROLES) answers.push((await app.get(`${path}/wikis`, { token: tokens[role] })).statusCode);
      return answers.join(' ');
    };
    await set('private');
    assert.equal(await reads(`/projects/${inside.id}`), '404 403 200 200 200 200 200 200');
    assert.equal(await reads(`/groups/${closed.id}`), '401 403 200 200 200 200 200 200');
    await set('disabled');
    assert.equal(await reads(`/projects/${inside.id}`), '404 403 403 403 403 403 403 403');
    assert.equal(await reads(`/groups/${closed.id}`), '401 403 403 403 403 403 403 403');
    expectStatus(await app.get(`/projects/${inside.id}/wikis`), 403);
    await set('enabled');
  });

  test('while the project is archived or waits for its deletion: nobody writes', async () => {
    const inside = await app.make.project({ namespace: closed });
    const wiki = `/projects/${inside.id}/wikis`;
    await create(wiki, { title: 'home', content: 'x' });
    for (const column of ['archived', 'in_deletion'] as const) {
      await app.deps.db
        .updateTable('projects')
        .set({ [column]: 1 })
        .where('id', '=', inside.id)
        .execute();
      expectStatus(await app.get(`${wiki}/home`), 200);
      expectStatus(await app.post(wiki, { json: { title: 'x', content: 'x' } }), 403);
      expectStatus(await app.put(`${wiki}/home`, { json: { content: 'y' } }), 403);
      expectStatus(await app.delete(`${wiki}/home`), 403);
      await app.deps.db
        .updateTable('projects')
        .set({ [column]: 0 })
        .where('id', '=', inside.id)
        .execute();
    }
  });

  test('is looked at again when the turn has come', async () => {
    const inside = await app.make.project({ namespace: closed });
    const wiki = `/projects/${inside.id}/wikis`;
    await create(wiki, { title: 'home', content: 'x' });
    const { user, token } = await app.make.user();
    await app.make.member({ project: inside }, user, 30);
    beforeTransaction(app, () => app.deps.db.deleteFrom('members').where('user_id', '=', user.id).execute());
    expectStatus(await app.put(`${wiki}/home`, { token, json: { content: 'y' } }), 404);
    assert.equal((await show(wiki, 'home')).content, 'x');
  });

  test('a token that only reads does not write', async () => {
    const inside = await app.make.project({ namespace: closed });
    const token = await app.make.token(1, ['read_api']);
    expectStatus(await app.get(`/projects/${inside.id}/wikis`, { token }), 200);
    expectStatus(await app.post(`/projects/${inside.id}/wikis`, { token, json: { title: 'x', content: 'x' } }), 403);
  });
});

describe('what a wiki takes', () => {
  test('is in the statistics of its project, or kept for its group', async () => {
    const wiki = await fresh();
    await create(wiki, { title: 'home', content: 'x'.repeat(100_000) });
    const own = await app.make.group();
    await create(`/groups/${own.id}/wikis`, { title: 'home', content: 'x' });
    await app.deps.jobs.drain(60_000);
    const { statistics } = expectStatus<{ statistics: { wiki_size: number; storage_size: number } }>(
      await app.get(`/projects/${project.id}`, { query: { statistics: 'true' } }),
      200,
    );
    assert.ok(statistics.wiki_size > 0 && statistics.storage_size >= statistics.wiki_size);
    const row = await app.deps.db
      .selectFrom('wikis')
      .select('repository_size')
      .where('namespace_id', '=', own.id)
      .executeTakeFirstOrThrow();
    assert.ok(row.repository_size > 0);
  });
});

describe('settings of the installation', () => {
  const set = (json: object) => changeSettings(app, json);

  test('bound the text of a page and name the first branch', async () => {
    await set({ wiki_page_max_content_bytes: 1_024, default_branch_name: 'trunk' });
    try {
      const wiki = await fresh();
      const refused = await create(wiki, { title: 'x', content: 'ä'.repeat(513) }, 400);
      assert.equal(messageOf(refused), 'content is too long (1 KiB). The maximum size is 1 KiB.');
      await create(wiki, { title: 'x', content: 'ä'.repeat(512) });
      const repo = repositoryOf(app.deps, await ensureWiki(app.deps, { type: 'project', id: project.id }));
      assert.equal(await repo.refs.head(), 'trunk');
      assert.deepEqual(await slugs(wiki), ['x']);
    } finally {
      await set({ wiki_page_max_content_bytes: 5_242_880, default_branch_name: null });
    }
  });
});

test('a fork has no wiki of its own, and a project says whether its wiki is open', async () => {
  const wiki = await fresh();
  await create(wiki, { title: 'home', content: 'x' });
  const fork = expectStatus<{ id: number; wiki_enabled: boolean; wiki_access_level: string }>(
    await app.post(`/projects/${project.id}/fork`, { json: { path: 'forked-wiki', name: 'forked-wiki' } }),
    201,
  );
  await app.drain();
  assert.deepEqual([fork.wiki_enabled, fork.wiki_access_level], [true, 'enabled']);
  assert.deepEqual(await slugs(`/projects/${fork.id}/wikis`), []);
});

test('a project that moves or is renamed keeps its wiki where it is', async () => {
  const wiki = await fresh();
  await create(wiki, { title: 'home', content: 'x' });
  const owner = { type: 'project' as const, id: project.id };
  const { disk_path } = await ensureWiki(app.deps, owner);
  const other = await app.make.group();
  expectStatus(await app.put(`/projects/${project.id}/transfer`, { json: { namespace: other.id } }), 200);
  expectStatus(await app.put(`/projects/${project.id}`, { json: { path: 'elsewhere' } }), 200);
  assert.equal((await ensureWiki(app.deps, owner)).disk_path, disk_path);
  assert.deepEqual(await slugs(wiki), ['home']);
});
