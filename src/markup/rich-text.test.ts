import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MarkupRequest } from './markup.request.ts';
import { renderInThisThread } from './render-in-this-thread.ts';

const SERVER = 'https://forge.example';
const render = (text: string, more: Partial<MarkupRequest> = {}) =>
  renderInThisThread({ text, format: 'markdown', base: `${SERVER}/group/project`, slug: '', server: SERVER, ...more });
/** Without what every block has. */
const html = async (text: string, more: Partial<MarkupRequest> = {}) =>
  (await render(text, more)).replaceAll(/ data-sourcepos="[\d:-]*"| dir="auto"/g, '');

async function table(cases: [text: string, expected: string][], more: Partial<MarkupRequest> = {}) {
  for (const [text, expected] of cases) assert.equal(await html(text, more), expected, text);
}

const anchor = (name: string) =>
  `<a id="user-content-${name}" class="anchor" href="#user-content-${name}" aria-hidden="true"></a>`;
const OUT = 'rel="nofollow noreferrer noopener" target="_blank"';

describe('what a text may hold', () => {
  test('tables, strikethrough, code, lists of tasks', () =>
    table([
      [
        '| a | b |\n|:--|--:|\n| 1 | ~~2~~ |',
        '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="left">1</td>\n<td align="right"><s>2</s></td>\n</tr>\n</tbody>\n</table>',
      ],
      ['```ts\nlet a = "<b>";\n```', '<pre><code class="language-ts">let a = &quot;&lt;b&gt;&quot;;\n</code></pre>'],
      ['```\nx\n```', '<pre><code>x\n</code></pre>'],
      ['~~~c++ linenos\nx\n~~~', '<pre><code class="language-c++">x\n</code></pre>'],
      [
        '- [ ] open\n- [x] done\n- [X] also\n- [y] none\n- [ ]none',
        '<ul class="task-list">\n' +
          '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled=""> open</li>\n' +
          '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled="" checked=""> done</li>\n' +
          '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled="" checked=""> also</li>\n' +
          '<li>[y] none</li>\n<li>[ ]none</li>\n</ul>',
      ],
      ['[x] no list', '<p>[x] no list</p>'],
    ]));

  test('addresses are links', () =>
    table([
      ['https://a.example/b', `<p><a href="https://a.example/b" ${OUT}>https://a.example/b</a></p>`],
      ['see www.a.example/b.', `<p>see <a href="http://www.a.example/b" ${OUT}>www.a.example/b</a>.</p>`],
      ['ada@a.example', '<p><a href="mailto:ada@a.example">ada@a.example</a></p>'],
      ['README.md a.example', '<p>README.md a.example</p>'],
      ['<irc://a.example/b>', '<p><a href="irc://a.example/b">irc://a.example/b</a></p>'],
    ]));

  test('headings have names of their own, which links inside of the text find', () =>
    table([
      ['# A b!', `<h1>${anchor('a-b')}A b!</h1>`],
      ['# A\n# A\n# a-1', `<h1>${anchor('a')}A</h1>\n<h1>${anchor('a-1')}A</h1>\n<h1>${anchor('a-1-1')}a-1</h1>`],
      ['## Über `x_y` *z*', `<h2>${anchor('über-x_y-z')}Über <code>x_y</code> <em>z</em></h2>`],
      ['# 12', `<h1>${anchor('anchor-12')}12</h1>`],
      ['# !', `<h1>${anchor('section')}!</h1>`],
      ['# __proto__', `<h1>${anchor('proto')}<strong>proto</strong></h1>`],
      ['# A\n[x](#a) [y](#b)', `<h1>${anchor('a')}A</h1>\n<p><a href="#user-content-a">x</a> <a href="#b">y</a></p>`],
    ]));

  test('footnotes', async () => {
    assert.equal(
      await html('a[^n] b[^n]\n\n[^n]: c'),
      '<p>a<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1">1</a></sup> ' +
        'b<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1-1">1</a></sup></p>\n' +
        '<section class="footnotes" data-footnotes>\n<ol>\n<li id="user-content-fn-1"><p>c ' +
        '<a href="#user-content-fnref-1" class="footnote-backref">↩</a> ' +
        '<a href="#user-content-fnref-1-1" class="footnote-backref">↩</a></p>\n</li>\n</ol>\n</section>',
    );
    assert.equal(await html('a[^none] ^[b]'), '<p>a[^none] ^[b]</p>');
  });

  test('emoji by their names, where names are shown', async () => {
    await table([
      [':tada: x', '<p><gl-emoji title="party popper" data-name="tada">🎉</gl-emoji> x</p>'],
      [':nothing: :+1', '<p>:nothing: :+1</p>'],
      ['`:tada:` [:tada:](/x)', '<p><code>:tada:</code> <a href="/x">:tada:</a></p>'],
    ]);
    assert.equal(await html(':tada:', { server: undefined! }), '<p>:tada:</p>');
  });

  test('HTML that is safe', () =>
    table([
      ['<kbd>a</kbd> H<sub>2</sub>O<br>x', '<p><kbd>a</kbd> H<sub>2</sub>O<br />x</p>'],
      [
        '<details open>\n<summary>S</summary>\n\n- [x] *b*\n\n</details>',
        '<details open>\n<summary>S</summary>\n<ul class="task-list">\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked /> <em>b</em></li>\n</ul>\n</details>',
      ],
      [
        '<p align="center"><img src="a.png" width="9" alt="A"></p>',
        `<p align="center"><img src="${SERVER}/group/project/a.png" width="9" alt="A" /></p>`,
      ],
      ['<a href="https://b.example">b</a>', `<p><a href="https://b.example" ${OUT}>b</a></p>`],
      ['# <i>A</i>', `<h1>${anchor('a')}<i>A</i></h1>`],
      ['a <!-- b --> c', '<p>a  c</p>'],
      ['<picture><source srcset="x"><img src="/y" alt=""></picture>', '<p><img src="/y" alt="" /></p>'],
      ['<div>\n\na', '<div>\n<p>a</p></div>'],
      ['</div>a', 'a'],
      ['a </p> b </div> <b>c', '<p>a </p> b  <b>c<p></p></b>'],
      ['a <title> and <script> are tags', '<p>a &lt;title&gt; and &lt;script&gt; are tags</p>'],
      ['```x\na\n```\n<b>c', '<pre><code class="language-x">a\n</code></pre>\n<p><b>c</b></p>'],
    ]));
});

test('links and images of a file lead to its repository', async () => {
  const file = { ref: 'a/b c', folder: 'docs/en' };
  const at = `${SERVER}/group/project/-`;
  await table(
    [
      ['[x](y.md#z)', `<p><a href="${at}/blob/a/b%20c/docs/en/y.md#z">x</a></p>`],
      ['[x](/y)', `<p><a href="${at}/blob/a/b%20c/y">x</a></p>`],
      ['[x](../../../../y?a=b)', `<p><a href="${at}/blob/a/b%20c/y?a=b">x</a></p>`],
      ['[x](//b.example)', `<p><a href="//b.example" ${OUT}>x</a></p>`],
      ['[x](#y)', '<p><a href="#y">x</a></p>'],
      ['![x](y.png)', `<p><img src="${at}/raw/a/b%20c/docs/en/y.png" alt="x"></p>`],
      ['![*x*](https://b.example/y.png)', '<p><img src="https://b.example/y.png" alt="x"></p>'],
      ['<img src="/y.png">', `<img src="${at}/raw/a/b%20c/y.png" />`],
      ['![x](y.png)<b>z</b>', `<p><img src="${at}/raw/a/b%20c/docs/en/y.png" alt="x" /><b>z</b></p>`],
      [
        `[x](/uploads/${'0'.repeat(32)}/a.txt)`,
        `<p><a href="${SERVER}/group/project/uploads/${'0'.repeat(32)}/a.txt">x</a></p>`,
      ],
    ],
    { file },
  );
  await table([['[x](y) ![z](y.png)', '<p><a href="y">x</a> <img src="y.png" alt="z"></p>']], { base: '' });
});

test('images of other servers can be links', () =>
  table(
    [
      ['![a](https://b.example/c)', `<p><a href="https://b.example/c" ${OUT}>a</a></p>`],
      ['![](//b.example/c)', `<p><a href="//b.example/c" ${OUT}>//b.example/c</a></p>`],
      ['[![a](https://b.example/c)](/d)', '<p><a href="/d">a</a></p>'],
      ['![a](/c)', '<p><img src="/c" alt="a"></p>'],
      ['<img src="https://b.example/c" alt="a">', `<a href="https://b.example/c" ${OUT}>a</a>`],
      ['<a href="/d"><img src="https://b.example/c"></a>', '<p><a href="/d"><span>https://b.example/c</span></a></p>'],
      ['a <img src=" https://b.example/c">', `<p>a <a href="https://b.example/c" ${OUT}>https://b.example/c</a></p>`],
    ],
    { remoteImages: 'link' },
  ));
