import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderInThisThread } from './render-in-this-thread.ts';

const issues = {
  pattern: String.raw`\b[A-Z]+-(\d+)\b|\B#(\d+)\b`,
  url: 'https://bugs.example/a?b=:id&c',
  tracker: 'A "B"',
};
const html = async (text: string, more = issues) =>
  (await renderInThisThread({ text, format: 'markdown', base: '', slug: '', issues: more }))
    .replace(/^<p [^>]*>|<\/p>$/g, '')
    .replaceAll(' rel="nofollow noreferrer noopener" target="_blank"', '')
    .replaceAll(/ title="[^"]*" class="gfm gfm-issue" data-reference-type="external_issue"/g, '');
const link = (key: string, text: string) =>
  `<a href="https://bugs.example/a?b=${key}&amp;c" data-external-issue="${key}">${text}</a>`;

test('texts lead to the issues of a tracker elsewhere that they name', async () => {
  assert.equal(await html('See AB-1, *#2* and x#3.'), `See ${link('1', 'AB-1')}, <em>${link('2', '#2')}</em> and x#3.`);
  assert.equal(await html('AB-7'), link('7', 'AB-7'));
  assert.match(
    await renderInThisThread({ text: 'AB-7', format: 'markdown', base: '', slug: '', issues }),
    /title="Issue in A &quot;B&quot;" class="gfm gfm-issue" data-reference-type="external_issue"/,
  );
});

test('code, links and other addresses are no names of issues', async () => {
  for (const text of ['`AB-1`', '[AB-1](/x)', '    AB-1', 'https://forge.example/AB-1', '![AB-1](/x)']) {
    assert.doesNotMatch(await html(text), /data-external-issue/, text);
  }
});

test('what is named ends in no address that runs something, and in no HTML', async () => {
  const named = { ...issues, pattern: String.raw`\b(T-.+)$` };
  assert.equal(
    await html('T-"&gt;&lt;script&gt;', named),
    `<a href="https://bugs.example/a?b=%22%3E%3Cscript%3E&amp;c" data-external-issue="&quot;&gt;&lt;script&gt;">T-&quot;&gt;&lt;script&gt;</a>`
      .replaceAll('b=', 'b=T-')
      .replace('data-external-issue="', 'data-external-issue="T-'),
  );
  assert.equal(await html('T-1', { ...named, url: 'javascript:alert(:id)' }), 'T-1');
});

test('a text gets so many links, and a pattern that takes long is given up', async () => {
  const many = await html('#1 '.repeat(3_000).trim());
  assert.equal(many.match(/data-external-issue/g)?.length, 1_000);
  assert.ok(many.endsWith('#1'));
  const slow = { ...issues, pattern: '(x{0,900}y)' };
  assert.doesNotMatch(await html('x'.repeat(50_000), slow), /data-external-issue/);
});
