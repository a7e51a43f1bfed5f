import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderInThisThread } from './render-in-this-thread.ts';
import { renderInThread } from './render-in-thread.ts';

const SERVER = 'https://forge.example';
const base = { format: 'markdown', base: `${SERVER}/group/project`, slug: '', server: SERVER };

const TAG = /<(\/?)([a-z0-9-]+)((?: [a-z-]+(?:="[^"<>]*")?)*)(?: \/)?>/g;
const VOID = new Set(['br', 'hr', 'img', 'input', 'wbr', 'col']);
const ALLOWED = new Set(
  'a abbr b blockquote br code dd del details div dl dt em figure gl-emoji h1 h2 h3 hr i img input kbd li mark ol p pre q s section small span strong sub summary sup table tbody td th thead tr tt u ul'.split(
    ' ',
  ),
);

/** Asserts that HTML holds nothing but known tags and attributes, is balanced, and takes nobody anywhere. */
function assertHarmless(html: string, text: string): void {
  assert.ok(!html.replace(TAG, '').includes('<'), `${text}: ${html}`);
  const open: string[] = [];
  for (const [, close, tag, attributes] of html.matchAll(TAG)) {
    assert.ok(ALLOWED.has(tag!), `${text}: ${tag}`);
    if (close === '/') assert.equal(open.pop(), tag, `${text}: ${html}`);
    else if (!VOID.has(tag!)) open.push(tag!);
    for (const [, name, value = ''] of attributes!.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)) {
      assert.doesNotMatch(name!, /^(?:on|style|form|action|name|srcset|srcdoc|xmlns)/, `${text}: ${name}`);
      if (name === 'id') assert.match(value, /^user-content-/, `${text}: ${html}`);
      if (name === 'href' || name === 'src') {
        assert.match(value, /^(?:https?:\/\/|mailto:|\/|#|\?|$|[^:]*$)/, `${text}: ${value}`);
      }
    }
  }
  assert.deepEqual(open, [], `${text}: ${html}`);
}

const SCRIPT = '<script>alert(1)</script>';
const PLACES: ((evil: string) => string)[] = [
  (evil) => evil,
  (evil) => `a ${evil} b`,
  (evil) => `# ${evil}`,
  (evil) => `- [ ] ${evil}`,
  (evil) => `> ${evil}`,
  (evil) => `| ${evil} |\n|---|\n| ${evil} |`,
  (evil) => `[${evil}](${evil})`,
  (evil) => `![${evil}](${evil} "${evil}")`,
  (evil) => `[a]: ${evil} "${evil}"\n\n[a] ![a]`,
  (evil) => `a[^${evil}]\n\n[^${evil}]: ${evil}`,
  (evil) => `\`\`\`${evil}\n${evil}\n\`\`\``,
  (evil) => `<${evil}>`,
  (evil) => `[[${evil}|${evil}]]`,
  (evil) => `<div>\n${evil}`,
  (evil) => `<a href="${evil}" title='${evil}'>x</a>`,
  (evil) => `<img src=${evil} alt=${evil}>`,
  (evil) => `<b ${evil}>x`,
  (evil) => `<!-- ${evil}`,
  (evil) => `~"${evil}" %"${evil}" @${evil} :${evil}:`,
];
const EVIL = [
  SCRIPT,
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<svg><style><a title="</style><img src=x onerror=alert(1)>"></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea></textarea/><img src=x onerror=alert(1)>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<form action=/x><input name=y><button formaction=javascript:alert(1)>z</button></form>',
  '<base href=//b.example><link rel=stylesheet href=//b.example><meta http-equiv=refresh content=0>',
  '<a href=javascript:alert(1) id=main name=main class=btn style=position:fixed data-remote=true>x</a>',
  '<a href="java&#10;script:alert(1)">x</a>',
  '<a href="&#x1;javascript&colon;alert(1)">x</a>',
  '<a href="\u200bjavascript:alert(1)">x</a>',
  '<img srcset="javascript:alert(1) 1x" src="data:image/svg+xml;base64,AAAA">',
  'javascript:alert(1)',
  'JaVa\tScRiPt:alert(1)',
  '&#106;avascript:alert(1)',
  'javascript&colon;alert(1)',
  'vbscript:x',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/png;base64,AAAA',
  'file:///etc/passwd',
  'blob:x',
  '" onmouseover="alert(1)',
  "' onmouseover='alert(1)",
  '"><script>alert(1)</script>',
  '\0<script\0>alert(1)',
  '<scr<script>ipt>alert(1)</script>',
  '<gl-emoji data-name=tada></gl-emoji><input type=checkbox class=x>',
  '<details ontoggle=alert(1) open>',
  '<object data=x></object><embed src=x><applet code=x>',
  '<![CDATA[<script>alert(1)</script>]]><?php x ?><!DOCTYPE x>',
  '`a',
  '```',
  '*_[]()<>\\',
];

test('nothing runs, shadows or escapes, wherever it stands', async () => {
  for (const evil of EVIL) {
    for (const place of PLACES) {
      const text = place(evil);
      for (const more of [{}, { file: { ref: 'main', folder: 'a' } }, { remoteImages: 'link' as const }]) {
        assertHarmless(await renderInThisThread({ ...base, ...more, text }), text);
      }
    }
  }
});

test('classes and ids are ours alone, also beside HTML of the text', async () => {
  const text =
    '# A\n\n<p id="user-content-a" class="gfm gfm-issue" data-issue="1" data-reference-type="issue">x</p>\n' +
    '<o-class id=x><div o0123456789abcdef-class="x">\n\n- [x] y';
  const html = await renderInThisThread({ ...base, text });
  assert.equal(html.match(/ id="/g)?.length, 1);
  assert.doesNotMatch(html, /gfm|data-issue|data-reference|o0123/);
  assert.match(html, /class="task-list"/);
  assertHarmless(html, text);
});

test('a quotation mark that is left open takes nothing of ours along', async () => {
  for (const text of ['<div title="\n\n# A\n\n- [x] b\n\n<b>c</b>', "<a href='\n\n# A\n\nb' onclick=x>c"]) {
    const html = await renderInThisThread({ ...base, text });
    assertHarmless(html, text);
    assert.doesNotMatch(html, /o[0-9a-f]{16}-/);
  }
});

/** Characters of a text: what takes too long of a whole megabyte is long enough here to show. */
const LONG = 100_000;

test('texts that are made to be slow or deep are rendered within the bounds, or refused', async () => {
  const slow = [
    '['.repeat(10_000),
    '>'.repeat(10_000),
    '> '.repeat(10_000),
    '- '.repeat(10_000),
    '|'.repeat(10_000).concat('\n', '|-'.repeat(10_000)),
    '| a | b |\n|---|---|\n'.concat('| 1 | 2 |\n'.repeat(40_000)),
    '<div>'.repeat(10_000),
    '<b>'.repeat(100_000),
    '<a href="'.repeat(50_000),
    '<details>\n\n'.repeat(20_000),
    '<!--'.repeat(100_000),
    '<b>x</b>'.repeat(100_000),
    '[^a]: x\n\n'.repeat(20_000).concat('[^a]'.repeat(20_000)),
    Array.from({ length: 20_000 }, (_, n) => `[^${n}]\n\n[^${n}]: x\n\n`).join(''),
    '^['.repeat(50_000),
    '# a\n'.repeat(100_000),
    '- [ ] a\n'.repeat(100_000),
    ':tada:'.repeat(100_000),
    ':a'.repeat(300_000),
    'a/'.repeat(300_000).concat('#1'),
    'group/project#1 '.repeat(60_000),
    '@a/'.repeat(200_000),
    '~"'.repeat(300_000),
    'deadbeef '.repeat(100_000),
    'abcdef0123456789..'.repeat(50_000),
    `${SERVER}/a/b/-/issues/1 `.repeat(20_000),
    'www.'.repeat(200_000),
    'a@b.'.repeat(200_000),
    'x'.repeat(1024 * 1024),
    `<p>${'x'.repeat(1024 * 1024 - 10)}`,
    '&amp;'.repeat(200_000),
  ];
  for (const text of slow) {
    try {
      assert.equal(typeof (await renderInThread({ ...base, text: text.slice(0, LONG) }, async () => ({}))), 'string');
    } catch (error) {
      assert.equal((error as { status?: number }).status, 422, `${text.slice(0, 20)}: ${error}`);
    }
  }
});
