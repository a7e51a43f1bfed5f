import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { addressOf } from './links.ts';
import { renderMarkup } from './markup.render.ts';
import { renderInThisThread } from './render-in-this-thread.ts';
import { renderInThread } from './render-in-thread.ts';

const place = { base: '/group/project/-/wikis', slug: 'Guides/First-steps' };
const html = (text: string, format = 'markdown') => renderInThisThread({ text, format, ...place });

describe('Markdown', () => {
  test('becomes HTML that says where it comes from', async () => {
    assert.equal(
      await html('Content for wiki page'),
      '<p data-sourcepos="1:1-1:21" dir="auto">Content for wiki page</p>',
    );
    assert.equal(
      await html('# One\n\n- a\n- *b*\n'),
      '<h1 data-sourcepos="1:1-1:5" dir="auto"><a id="user-content-one" class="anchor" href="#user-content-one" aria-hidden="true"></a>One</h1>\n<ul data-sourcepos="3:1-4:5" dir="auto">\n<li>a</li>\n<li><em>b</em></li>\n</ul>',
    );
    assert.match(await html('| a | b |\n|---|---|\n| 1 | ~~2~~ |'), /<table>[\s\S]*<td><s>2<\/s><\/td>/);
    assert.match(
      await html('```ruby\nputs "<b>"\n```'),
      /<code class="language-ruby">puts &quot;&lt;b&gt;&quot;\n<\/code>/,
    );
  });

  test('leads links of a wiki to its pages, files and attachments', async () => {
    const cases: [input: string, expected: string][] = [
      ['[x](home)', 'href="/group/project/-/wikis/home"'],
      ['[x](a/b)', 'href="/group/project/-/wikis/a/b"'],
      ['[x](./next)', 'href="/group/project/-/wikis/Guides/next"'],
      ['[x](../../../../up)', 'href="/group/project/-/wikis/up"'],
      ['[x](notes.pdf)', 'href="/group/project/-/wikis/Guides/notes.pdf"'],
      ['![x](uploads/abc/a.png)', 'src="/group/project/-/wikis/uploads/abc/a.png"'],
      ['[x](#there)', 'href="#there"'],
      ['[x](/other)', 'href="/other"'],
      ['[x](https://example.com)', 'href="https://example.com" rel="nofollow noreferrer noopener" target="_blank"'],
      ['[[First steps]]', '<a href="/group/project/-/wikis/First-steps">First steps</a>'],
      ['[[Text|some/page]]', '<a href="/group/project/-/wikis/some/page">Text</a>'],
    ];
    for (const [source, expected] of cases) {
      assert.ok((await html(source)).includes(expected), `${source}: ${await html(source)}`);
    }
    assert.equal(addressOf('', place), '');
    assert.equal(addressOf('?a=b', place), '?a=b');
  });
});

test('nothing of a text can run', async () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\tscript:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](vbscript:x)',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '![x](javascript:alert(1))',
    '[[javascript:alert(1)]]',
    '[[x|javascript:alert(1)]]',
    '[[data:text/html,<script>x</script>.png]]',
    '<javascript:alert(1)>',
    '![" onerror="alert(1)](x)',
    '[x](y "\\" onmouseover=\\"alert(1)")',
    '[x]: javascript:alert(1)\n\n[x]',
    '```"><script>\nx\n```',
    '[[" onclick="alert(1)|a]]',
    '[[a|" onclick="alert(1)]]',
    '<a href="javascript:x">y</a>',
    '<svg/onload=alert(1)>',
    '<!-- <script>x</script> -->',
  ];
  for (const text of hostile) {
    for (const format of ['markdown', 'rdoc', 'org']) {
      const made = await html(text, format);
      // Only tags and attributes made by rendering.
      const tags = made.match(/<[^>]*>/g) ?? [];
      for (const tag of tags) {
        assert.match(
          tag,
          /^<\/?(?:p|pre|code|a|img|em)(?: (?:dir|data-sourcepos|href|src|alt|title|class|rel|target)="[^"<>]*")*(?: \/)?>$/,
          `${text}: ${tag}`,
        );
        assert.doesNotMatch(tag, /(?:href|src)="\s*(?:javascript|vbscript|data):/i, `${text}: ${tag}`);
      }
    }
  }
});

test('other formats are shown as they are', async () => {
  assert.equal(await html('= <Title>\n', 'rdoc'), '<pre dir="auto">= &lt;Title&gt;\n</pre>');
});

test('large texts are rendered in a thread, and come to the same', async () => {
  const text = '# Title\n\nA paragraph with **much** to say.\n'.repeat(2_000);
  const request = { text, format: 'markdown', ...place };
  const apart = await renderMarkup('large', request);
  assert.equal(apart, await renderInThisThread(request));
  assert.equal(await renderMarkup('large', { ...request, text: 'x'.repeat(5_000) }), apart, 'what is known is kept');
});

test('a text that takes too long ends with its thread', async () => {
  const text = '> '.repeat(200_000) + '*a **b'.repeat(200_000);
  await assert.rejects(
    renderInThread({ text: text.repeat(4), format: 'markdown', ...place }, undefined, { cpuMs: 1, intervalMs: 1 }),
    {
      status: 422,
    },
  );
});

test('a thread that is given no time says nothing about the text', async (t) => {
  let looks = 0;
  t.mock.method(Worker.prototype, 'cpuUsage', () => {
    looks += 1;
    return new Promise(() => undefined);
  });
  t.mock.timers.enable({ apis: ['setInterval'] });
  const rendered = renderInThread({ text: '> '.repeat(200_000), format: 'markdown', ...place });
  while (looks === 0) await setImmediate();
  t.mock.timers.tick(59_000);
  t.mock.timers.tick(3_000);
  await assert.rejects(rendered, { status: 503, headers: { 'Retry-After': '5' }, retryAfterMs: 5_000 });
});

test('time in which others have the processor is not counted, however long it is', async (t) => {
  t.mock.method(Worker.prototype, 'cpuUsage', async () => ({ user: 0, system: 0 }));
  const text = '*a* '.repeat(50_000);
  const html = await renderInThread({ text, format: 'markdown', ...place }, undefined, { cpuMs: 1, intervalMs: 1 });
  assert.match(html, /<em>a<\/em>/);
});

/** No limits, however slow the machine is. */
const UNLIMITED = { cpuMs: Number.POSITIVE_INFINITY, intervalMs: 1_000 };

test('a text that becomes far longer than it is is refused', async () => {
  const far = { ...place, slug: `${`${'d'.repeat(240)}/`.repeat(8)}page` };
  const long = [
    '[x](./y)\n'.repeat(20_000),
    `[a]: /${'u'.repeat(1_000)}\n\n${'[a] '.repeat(20_000)}`,
    // More than any string may contain.
    `[a]: /${'u'.repeat(100_000)}\n\n${'[a] '.repeat(20_000)}`,
  ];
  for (const text of long) {
    await assert.rejects(
      renderInThread({ text, format: 'markdown', ...far }, undefined, UNLIMITED),
      { status: 422 },
      text.slice(0, 10),
    );
  }
  const longest = '&'.repeat(1024 * 1024);
  assert.ok(
    (await renderInThread({ text: longest, format: 'plaintext', ...far }, undefined, UNLIMITED)).length >
      longest.length * 4,
  );
});

test('texts that are made to be slow are rendered, or refused', async () => {
  const slow = [
    '['.repeat(50_000),
    '![['.repeat(30_000),
    '*'.repeat(50_000),
    '`'.repeat(1_000).concat('a').repeat(50),
    '[['.repeat(40_000),
    '- '.repeat(20_000),
    '[a](b '.repeat(20_000),
    '<'.repeat(100_000),
  ];
  for (const text of slow) {
    try {
      assert.ok((await renderInThread({ text, format: 'markdown', ...place })).length > 0);
    } catch (error) {
      assert.equal((error as { status?: number }).status, 422, text.slice(0, 10));
    }
  }
});
