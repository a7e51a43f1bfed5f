import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRow } from './csv.ts';

test('a row quotes what needs it, and says nothing for null', () => {
  assert.equal(csvRow(['a', 1, null, '', 'b c']), 'a,1,,"",b c\n');
  assert.equal(csvRow(['a,b', 'say "x"', 'two\nlines', ' x']), '"a,b","say ""x""","two\nlines"," x"\n');
});

test('a text that a table program would run is one no more, a number stays', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', ';x', '\tx', '\rx']) {
    assert.ok(/^"?'/.test(csvRow([text])), JSON.stringify(text));
  }
  assert.equal(csvRow([-5, '=HYPERLINK("x")']), '-5,"\'=HYPERLINK(""x"")"\n');
});
