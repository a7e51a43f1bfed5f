import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closingReferences, findReferences, type Reference } from './core.references.ts';
import { maskCode } from './reference-mask.ts';

const externalUrl = 'http://127.0.0.1:8080';
const short = (reference: Reference): string =>
  reference.type === 'user'
    ? `@${reference.username}`
    : `${reference.project ?? ''}${reference.type === 'issue' ? '#' : '!'}${reference.iid}`;
const referencesIn = (text: string) => findReferences(text, { externalUrl }).map(short);
const closed = (text: string) => closingReferences(text, { externalUrl }).map(short);

test('issues, merge requests and users are found, with and without a project', () => {
  assert.deepEqual(referencesIn('See #1, !2 and @root.'), ['#1', '!2', '@root']);
  assert.deepEqual(referencesIn('group/sub/project#3 proj!4 (#5) "#6" [!7]'), [
    'group/sub/project#3',
    'proj!4',
    '#5',
    '#6',
    '!7',
  ]);
  assert.deepEqual(referencesIn('#1,#2;#3\n#4: #5+ #6.'), ['#1', '#2', '#3', '#4', '#5', '#6']);
  assert.deepEqual(referencesIn('@a.b-c @under_score (@x) @root: @dots...'), [
    '@a.b-c',
    '@under_score',
    '@x',
    '@root',
    '@dots',
  ]);
  assert.deepEqual(referencesIn('fixed/#9'), ['#9']);
});

test('what only looks like a reference is none', () => {
  const none = [
    '# 1',
    '#1a',
    '#12345678901',
    'a@b.org',
    '@scope/package',
    '\\#1 \\@root',
    '&#39;',
    'http://other.example/#1',
    'http://other.example/group/project#1?a=@root',
    '@@',
    '@',
    '#x',
    'a//b#1',
    '/a/b#1',
    `${'a'.repeat(3_000)}#1`,
    `@${'a'.repeat(300)}`,
    '',
  ];
  for (const text of none) assert.deepEqual(referencesIn(text), [], text);
});

test('code and comments do not count', () => {
  assert.deepEqual(referencesIn('`#1` #2 ``a ` #3`` #4'), ['#2', '#4']);
  assert.deepEqual(referencesIn('```\n#1\n```\n#2\n~~~ruby\n#3\n```\n~~~\n#4'), ['#2', '#4']);
  assert.deepEqual(referencesIn('- ```\n  #1\n  ```\n> ```\n> #2\n> ```\n#3'), ['#3']);
  assert.deepEqual(referencesIn('````\n#1\n```\n#2\n````\n#3'), ['#3']);
  assert.deepEqual(referencesIn('#1 <!-- #2 --> #3 <!-- #4'), ['#1', '#3']);
  assert.deepEqual(referencesIn('```\n#1 never closed'), []);
  assert.deepEqual(referencesIn('a ` #1 \n\n ` #2'), ['#1', '#2']);
});

test('web addresses of this server are references', () => {
  const at = `${externalUrl}/group/project`;
  assert.deepEqual(referencesIn(`${at}/-/issues/1 ${at}/issues/2, (${at}/-/merge_requests/3/diffs#note_9).`), [
    'group/project#1',
    'group/project#2',
    'group/project!3',
  ]);
  assert.deepEqual(referencesIn(`[text](${at}/-/work_items/4) ${at}/-/issues/5x ${at}/-/issues/new`), [
    'group/project#4',
  ]);
  assert.deepEqual(referencesIn(`http://127.0.0.1:80801/group/project/-/issues/1 \`${at}/-/issues/2\``), []);
  assert.deepEqual(findReferences(`${at}/-/issues/1`), []);
});

test('each thing is named once, and at most 200 are taken', () => {
  assert.deepEqual(referencesIn('#1 #1 @Root @root g/p#1 G/P#1'), ['#1', '@Root', 'g/p#1']);
  const many = Array.from({ length: 500 }, (_, index) => `#${index + 1}`).join(' ');
  assert.equal(referencesIn(many).length, 200);
});

test('closing words close the issues that follow them', () => {
  for (const word of ['Close', 'closes', 'Closed', 'closing', 'Fix', 'fixes', 'fixed', 'Fixing']) {
    assert.deepEqual(closed(`${word} #1`), ['#1'], word);
  }
  for (const word of ['Resolve', 'resolves', 'Resolved', 'resolving', 'Implement', 'implements', 'Implementing:']) {
    assert.deepEqual(closed(`${word} #1`), ['#1'], word);
  }
  assert.deepEqual(closed('Closes #1, #2 and g/p#3, and #4 #5. See #6'), ['#1', '#2', 'g/p#3', '#4', '#5']);
  assert.deepEqual(closed('Fixes: issue #1 and issues #2. Also closes g/q#3'), ['#1', '#2', 'g/q#3']);
  assert.deepEqual(closed(`Closes ${externalUrl}/g/p/-/issues/1, #2`), ['g/p#1', '#2']);
});

test('what is not said to be closed stays open', () => {
  for (const text of ['#1', 'Closes!1', 'Closes !1', 'Closes the #1', 'discloses #1', 'Closes\n#1', 'Closes `x` #1']) {
    assert.deepEqual(closed(text), [], text);
  }
  assert.deepEqual(closed('`Closes #1` Closes #2\n#3'), ['#2']);
  assert.deepEqual(closed('Fixes #1 or #2'), ['#1']);
});

test('masking keeps every position', () => {
  const text = fc.string({ unit: fc.constantFrom('`', '~', '\n', ' ', '>', '-', '<!--', '-->', '#1', 'a') });
  fc.assert(
    fc.property(text, (markdown) => {
      const masked = maskCode(markdown);
      assert.equal(masked.length, markdown.length);
      for (let at = 0; at < masked.length; at += 1) assert.ok(masked[at] === '\0' || masked[at] === markdown[at]);
    }),
  );
});

test('every reference that is written between blanks is found', () => {
  const segment = fc.stringMatching(/^[a-z0-9_][a-z0-9_-]{0,10}$/);
  const project = fc.option(fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')));
  const issue = fc
    .record({ project, iid: fc.integer({ min: 1, max: 2_000_000_000 }), sign: fc.constantFrom('#', '!') })
    .map(({ project, iid, sign }) => `${project ?? ''}${sign}${iid}`);
  const user = segment.map((name) => `@${name}`);
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(issue, user), { maxLength: 20 }), (references) => {
      assert.deepEqual(referencesIn(references.join(' ')), references);
    }),
  );
});

/** Cost ratio for eight times the size: 8 for linear time, 64 for quadratic time. */
function growth(work: (size: number) => void): number {
  const cost = (size: number) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 2; round += 1) {
      const start = process.cpuUsage();
      work(size);
      const { user, system } = process.cpuUsage(start);
      best = Math.min(best, user + system);
    }
    return Math.max(best, 500);
  };
  cost(16_384);
  return cost(524_288) / cost(65_536);
}

test('the time grows with the length of the text, whatever is in it', () => {
  const units = ['`', '``` ', '`a``', '#', '#1', '@', '@a', 'a/', 'a', '.', '-', '!1#', '\n ', '> ', '<!--', '- ', ' '];
  units.push(
    'Closes ',
    'closes #1 ',
    'http://',
    `${externalUrl}/`,
    `${externalUrl}/a/`,
    '~~~\n',
    '```\n',
    'Fix:  issue ',
  );
  for (const unit of units) {
    for (const head of ['', 'Closes #1', `${externalUrl}/`]) {
      const grown = growth((size) => {
        const text = head + unit.repeat(Math.ceil(size / unit.length));
        findReferences(text, { externalUrl });
        closingReferences(text, { externalUrl });
      });
      assert.ok(grown < 40, `${JSON.stringify(head + unit)}: ${grown}`);
    }
  }
  const spans = growth((size) => {
    let text = '';
    for (let length = 1; text.length < size; length += 1) text += `${'`'.repeat(length)} `;
    findReferences(text);
  });
  assert.ok(spans < 40);
  const megabyte = '#1`'.repeat(349_525);
  assert.deepEqual(referencesIn(megabyte), ['#1']);
});
