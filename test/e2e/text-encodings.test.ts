import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { GitUser } from '../support/git-user.ts';
import { sentPayloadsOf } from '../support/payloads.ts';

/** Two lines each, as bytes and as they are shown. */
const TEXTS: Readonly<Record<string, readonly [hex: string, text: string]>> = {
  'latin1.md': ['636166e90ac0206c61206361727465', 'café\nÀ la carte'],
  'windows1252.md': ['844772f6df6593200a31302080', '„Größe“ \n10 €'],
  'shift-jis.md': [
    '93fa967b8cea82cc95b68fcd82f082a282ad82c282a98f9182a282c482a882ab82dc82b781420a82b182cc8d7382e093af82b695b68e9a8352815b836882c582b78142',
    '日本語の文章をいくつか書いておきます。\nこの行も同じ文字コードです。',
  ],
  'euc-jp.md': [
    'c6fccbdcb8eca4cecab8becfa4f2a4a4a4afa4c4a4abbdf1a4a4a4c6a4aaa4ada4dea4b9a1a30aa4b3a4ceb9d4a4e2c6b1a4b8cab8bbfaa5b3a1bca5c9a4c7a4b9a1a3',
    '日本語の文章をいくつか書いておきます。\nこの行も同じ文字コードです。',
  ],
  'gbk.md': [
    'd5e2cac7d2bbb8f6d3c3d3dab2e2cad4b5c4d6d0cec4cec4bcfea1a30ab5dab6fed0d0d2b2cab9d3c3cfe0cdacb5c4b1e0c2eba1a3',
    '这是一个用于测试的中文文件。\n第二行也使用相同的编码。',
  ],
  'utf-16.md': [Buffer.from('\ufeffeins\nzwei ü', 'utf16le').toString('hex'), 'eins\nzwei ü'],
};
const UTF_16 = 'utf-16.md';

let app: TestApp;
let user: GitUser;
let dir: string;
let sha: string;
let base: string;
before(async () => {
  app = await buildTestApp();
  user = await GitUser.of(app);
  dir = await user.tree();
  base = await user.commit(dir, 'home.md', 'Welcome\n');
  for (const [name, [hex]] of Object.entries(TEXTS)) writeFileSync(join(dir, name), Buffer.from(hex, 'hex'));
  sha = await user.commit(dir, 'other.md', 'other\n');
});
after(() => app.close());

test('diffs, blame and comparisons show text of other encodings, and its bytes stay as they are', async () => {
  const project = await app.make.project();
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  const path = `/projects/${project.id}/repository`;
  interface Diff {
    new_path: string;
    diff: string;
  }
  const diffs = expectStatus<Diff[]>(await app.get(`${path}/commits/${sha}/diff`), 200);
  const compared = expectStatus<{ diffs: Diff[] }>(await app.get(`${path}/compare?from=${base}&to=${sha}`), 200);
  for (const [name, [hex, text]] of Object.entries(TEXTS)) {
    const lines = text.split('\n');
    const patch = `@@ -0,0 +1,2 @@\n${lines.map((line) => `+${line}\n`).join('')}\\ No newline at end of file\n`;
    for (const shown of [diffs, compared.diffs]) {
      const { diff } = shown.find(({ new_path }) => new_path === name)!;
      if (name === UTF_16) assert.equal(diff, `Binary files /dev/null and b/${name} differ\n`);
      else assert.equal(diff, patch, name);
    }
    const blamed = await app.get(`${path}/files/${name}/blame?ref=main`);
    const ranges = expectStatus<{ lines: string[] }[]>(blamed, 200);
    assert.deepEqual(
      ranges.flatMap((range) => range.lines.map((line) => line.replace('\ufeff', ''))),
      lines,
      name,
    );
    const raw = await app.get(`${path}/files/${name}/raw?ref=main`);
    assert.equal(raw.rawPayload.toString('hex'), hex);
  }
});

test('pages of a wiki show text of other encodings, and keep it when their front matter is changed', async () => {
  const project = await app.make.project();
  const address = user.address({ full_path: `${project.full_path}.wiki` });
  const payloads = await sentPayloadsOf(app, () => user.ok(dir, 'push', '--quiet', address, 'main'));
  const path = `/projects/${project.id}/wikis`;
  const pages = expectStatus<{ slug: string; content: string }[]>(await app.get(`${path}?with_content=true`), 200);
  for (const [name, [, text]] of Object.entries(TEXTS)) {
    const slug = name.replace('.md', '');
    assert.equal(pages.find((page) => page.slug === slug)?.content, text, name);
    const page = expectStatus<{ content: string }>(await app.get(`${path}/${slug}`), 200);
    assert.equal(page.content, text, name);
    assert.ok(JSON.stringify(payloads).includes(JSON.stringify(text).slice(1, -1)), name);
    const json = { format: 'markdown', front_matter: { title: 'A title' } };
    expectStatus(await app.put(`${path}/${slug}`, { json }), 200);
    const changed = expectStatus<{ content: string }>(await app.get(`${path}/${slug}`), 200);
    assert.ok(changed.content.includes(text), name);
  }
});
