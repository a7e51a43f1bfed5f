import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate, variablesOf } from './merging.template.ts';

const values = new Map([
  ['title', 'A title'],
  ['issues', ''],
  ['description', ''],
  ['reference', 'g/p!1'],
]);

test('variables are filled, unknown ones stay', () => {
  assert.equal(fillTemplate('%{title} (%{reference}) %{nothing}', values), 'A title (g/p!1) %{nothing}');
});

test('a line of empty variables goes, with the blank line before it where another follows', () => {
  assert.equal(fillTemplate('%{title}\n\n%{issues}\n\nSee %{reference}', values), 'A title\n\nSee g/p!1');
  assert.equal(fillTemplate('%{title}\n\n%{issues}%{description}', values), 'A title');
  assert.equal(fillTemplate('%{title}\n%{issues}\nend', values), 'A title\nend');
  assert.equal(fillTemplate('%{title}\n\n%{issues}\nend', values), 'A title\n\nend');
  assert.equal(fillTemplate('Closes: %{issues}\r\nend', values), 'Closes: \nend');
});

test('a value is not read as a template', () => {
  const input = new Map([
    ['title', '%{description} $& $1'],
    ['description', 'secret'],
  ]);
  assert.equal(fillTemplate('%{title}', input), '%{description} $& $1');
});

test('the variables of a template are named once', () => {
  assert.deepEqual(variablesOf('%{title} %{title} %{url} %{Not} %title'), ['title', 'url']);
});
