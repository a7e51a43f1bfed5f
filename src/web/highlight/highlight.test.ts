import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failingThreads } from '../../../test/support/failing-threads.ts';
import { releaseAll } from '../../core/idle-memory.ts';
import { inScope } from '../../core/request-scope.ts';
import { highlightCode, highlightLines, highlightStyles, highlightWithin, type Language } from './index.ts';
import { plainLines } from './plain-lines.ts';

const SLOW = { cpuMs: 60_000, warmUpMs: 0, intervalMs: 100 };
const oidOf = (text: string) => createHash('sha1').update(text).digest('hex');
const lines = (text: string, path: string) => highlightLines(oidOf(text), text, { path });

/** That lines are the text, and their spans well-formed, of known classes, and closed on each line. */
function checkLines(html: readonly string[], text: string): void {
  assert.equal(html.map((line) => line.replaceAll(/<[^>]*>/g, '')).join('\n'), plainLines(text));
  assert.equal(html.length, text.split(/\r?\n/).length);
  for (const line of html) {
    let depth = 0;
    for (const [tag] of line.matchAll(/<[^>]*>/g)) {
      assert.match(tag, /^(?:<span class="hljs-[a-z_-]+">|<\/span>)$/);
      depth += tag === '</span>' ? -1 : 1;
      assert.ok(depth >= 0);
    }
    assert.equal(depth, 0, line);
    assert.doesNotMatch(line, /<span[^>]*><\/span>/);
  }
}

/** A file of each language, and a part that is highlighted. */
const FILES: readonly (readonly [path: string, text: string, highlighted: string])[] = [
  ['a.ada', 'procedure Hello is begin null; end Hello;', 'procedure'],
  ['.htaccess', 'RewriteEngine On\n', 'On'],
  ['a.bat', '@echo off\nrem note\n', 'echo'],
  ['a.c', 'int main(void) { return 0; }', 'return'],
  ['a.h', 'int main(void);', 'int'],
  ['a.clj', '(defn f [x] "text")', '"text"'],
  ['CMakeLists.txt', 'project(x)\n# note', '# note'],
  ['a.cpp', '// note\nclass A {};', '// note'],
  ['a.cs', 'public class A { }', 'public'],
  ['a.css', 'a { color: red }', 'color'],
  ['a.dart', 'void main() { return; }', 'return'],
  ['a.diff', '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n', '+y'],
  ['Dockerfile', 'FROM debian\nRUN true\n', 'FROM'],
  ['a.ex', 'defmodule A do\nend', 'do'],
  ['a.elm', 'module A exposing (..)', 'module'],
  ['a.erl', 'f() -> "text".', '"text"'],
  ['a.f90', 'program a\nend program', 'program'],
  ['a.fs', 'let x = "text"', 'let'],
  ['a.go', 'package main\nfunc f() {}', 'package'],
  ['build.gradle', 'apply plugin: "java"', '"java"'],
  ['a.graphql', 'type A { b: Int! }', 'type'],
  ['a.groovy', 'def x = 1', 'def'],
  ['a.hs', 'module A where', 'module'],
  ['a.html', '<p class="x">y</p>', '"x"'],
  ['a.ini', '[a]\nb = 1\n', '[a]'],
  ['A.java', 'public class A { }', 'public'],
  ['a.js', 'const x = `a${1}b`;', 'const'],
  ['a.json', '{"a": [1, true]}', '"a"'],
  ['a.jl', 'function f() end', 'function'],
  ['a.kt', 'fun f(): Int = 1', 'fun'],
  ['a.tex', '\\section{x} % note', '% note'],
  ['a.less', '@a: 1px;', '@a:'],
  ['a.lua', 'local x = "text"', 'local'],
  ['Makefile', 'all:\n\techo # x\n', 'all:'],
  ['a.md', '# Title\n\n*text*\n', '# Title'],
  ['a.nix', '{ a = "text"; }', '"text"'],
  ['a.m', '@interface A\n@end', '@interface'],
  ['a.ml', 'let x = "text"', 'let'],
  ['a.pas', 'begin end.', 'begin'],
  ['a.pl', 'my $x = "text";', 'my'],
  ['a.php', '<?php echo "text";', 'echo'],
  ['a.ps1', 'Get-Item "text"', '"text"'],
  ['a.proto', 'message A { string b = 1; }', 'message'],
  ['a.py', 'def f():\n    """one\n    two"""\n', 'def'],
  ['a.r', 'f <- function(x) "text"', 'function'],
  ['a.rb', 'def f = puts "text"', 'def'],
  ['a.rs', 'fn main() { let x = 1; }', 'fn'],
  ['a.scala', 'object A { val x = 1 }', 'val'],
  ['a.scss', '$a: 1px; b { c: $a }', '$a'],
  ['a.sh', 'if true; then echo "text"; fi', 'if'],
  ['script', '#!/usr/bin/env -S python3.12 -u\ndef f(): pass', 'def'],
  ['other', '#!/bin/bash\nif true; then :; fi', 'if'],
  ['a.sql', 'SELECT 1 FROM a', 'SELECT'],
  ['a.swift', 'let x = "text"', 'let'],
  ['a.tcl', 'set x "text"', 'set'],
  ['a.toml', '[a]\nb = "text"\n', '[a]'],
  ['a.ts', 'interface A { b: string }', 'interface'],
  ['a.tsx', 'const a = <b c="d" />;', 'const'],
  ['a.vb', 'Dim x As Integer', 'Dim'],
  ['a.vhd', 'entity a is end a;', 'entity'],
  ['a.vim', 'let x = "text"', 'let'],
  ['a.vue', '<template><p>x</p></template>', 'template'],
  ['a.xml', '<a b="c"/>', '"c"'],
  ['a.yml', 'a: "text"\n', 'a:'],
];

describe('languages', () => {
  for (const [path, text, part] of FILES) {
    test(`of ${path}`, async () => {
      const html = await lines(text, `folder/${path}`);
      checkLines(html, text);
      const span = new RegExp(`<span class="hljs-[a-z_-]+">${RegExp.escape(plainLines(part))}`);
      assert.match(html.join('\n'), span);
    });
  }

  test('are found by name and alias, too', async () => {
    for (const name of ['js', 'JavaScript', 'javascript {1,3}', 'node', 'TypeScript', 'tsx']) {
      assert.equal(await highlightCode('const x', name), '<span class="hljs-keyword">const</span> x', name);
    }
    assert.equal(await highlightCode('<b>', 'no such language'), '&lt;b&gt;');
    assert.equal(await highlightCode('<b>', ''), '&lt;b&gt;');
    assert.equal(await highlightCode('<b>', '__proto__'), '&lt;b&gt;');
  });

  test('that are not known stay plain', async () => {
    for (const path of ['a.unknown', 'LICENSE', 'constructor', '__proto__', 'a.__proto__', '', 'x/', 'a.txt']) {
      assert.deepEqual(await lines('#include <b>\r\nx & "y"\r\n', path), [
        '#include &lt;b&gt;',
        'x &amp; &quot;y&quot;',
        '',
      ]);
    }
  });
});

test('spans end with their line, and go on in the next', async () => {
  const text = '/* one\n\n   two */ x\n';
  assert.deepEqual(await lines(text, 'a.c'), [
    '<span class="hljs-comment">/* one</span>',
    '',
    '<span class="hljs-comment">   two */</span> x',
    '',
  ]);
  assert.deepEqual(await lines(text.replaceAll('\n', '\r\n'), 'b.c'), await lines(text, 'a.c'));
});

test('characters that HTML would lose are kept or replaced', async () => {
  assert.deepEqual(await lines('a = "\r\0\u{1f600}"', 'a.py'), [
    'a = <span class="hljs-string">&quot;&#13;\u{fffd}\u{1f600}&quot;</span>',
  ]);
});

test('every text comes to the same text', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '&',
      '"',
      "'",
      '`',
      '${',
      '}',
      '{',
      '/*',
      '*/',
      '//',
      '\n',
      '\r\n',
      '\r',
      '\0',
      '(',
      '\\',
      '#',
      '<?php',
      '%>',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.constantFrom('<script>', '</script>', '<style>', 'class A', 'def f', '"""', "'''", '$(', '@@', '[[', ' '),
  );
  const path = fc.constantFrom('a.html', 'a.php', 'a.rb', 'a.md', 'a.tsx', 'a.sh', 'a.pl', 'a.py', 'a.erb', 'a.swift');
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), path, async (pieces, path) => {
      const text = pieces.join('');
      checkLines(await lines(text, path), text);
    }),
    { numRuns: 100 },
  );
});

describe('hostile texts', () => {
  const many: readonly (readonly [what: string, path: string, text: string])[] = [
    ['nested templates', 'a.js', '`${'.repeat(20_000)],
    ['nested brackets', 'a.json', '[\n'.repeat(40_000)],
    ['nested quotes of Markdown', 'a.md', '> '.repeat(2_000)],
    ['nested comments', 'a.swift', '/*\n'.repeat(30_000)],
    ['tags that do not end', 'a.html', '<a b="\n'.repeat(50_000)],
    ['generics', 'a.ts', `${'a<'.repeat(2_000)}\n`.repeat(40)],
    ['patterns', 'a.pl', `${'s/'.repeat(2_000)}\n`.repeat(40)],
    ['here documents', 'a.rb', '<<~A\n'.repeat(40_000)],
  ];
  for (const [what, path, text] of many) {
    test(`${what} take no longer than they may`, async () => {
      const started = process.cpuUsage();
      checkLines(await lines(text, path), text);
      const { user, system } = process.cpuUsage(started);
      assert.ok(user + system < 20_000_000, 'of processor time in all threads, start and test included');
    });
  }

  test('what is too long stays plain, at once', async () => {
    for (const text of [`x = "${'a'.repeat(1024 * 1024)}"`, `x = "${'a'.repeat(5_000)}"`, 'x = 1\n'.repeat(50_001)]) {
      const html = await lines(text, 'a.py');
      assert.ok(!html.some((line) => line.includes('<')));
      checkLines(html, text);
    }
    const longest = `x = "${'a'.repeat(4_994)}"`;
    assert.match((await lines(longest, 'a.py')).join(''), /hljs-string/);
  });

  test('what takes too long stays plain and ends the thread, and the next text has another', async () => {
    const text = 'const x = "text";\n'.repeat(20_000);
    assert.equal(await highlightWithin(text, { path: 'a.js' }, { cpuMs: 1, warmUpMs: 0, intervalMs: 1 }), null);
    assert.match((await highlightWithin('const x', { path: 'a.js' }, SLOW)) ?? '', /hljs-keyword/);
  });

  test('what becomes too long stays plain', async () => {
    const text = `${'1 '.repeat(500)}\n`.repeat(500);
    assert.ok(text.length < 1024 * 1024);
    assert.equal(await highlightWithin(text, { path: 'a.py' }, SLOW), null);
  });
});

test('a hundred at once are all highlighted', async () => {
  const source = readFileSync(new URL(import.meta.url), 'utf8');
  const started = Array.from({ length: 100 }, (_, at) => {
    const text = `// ${at}\n${source}`;
    return inScope({ caller: `user:${at % 3}` }, () => lines(text, 'a.ts'));
  });
  const all = await Promise.all(started);
  for (const [at, html] of all.entries()) assert.equal(html[0], `<span class="hljs-comment">// ${at}</span>`);
});

test('the same text is highlighted once', async () => {
  const text = `const once = ${Math.random()};\n`;
  const [one, two] = await Promise.all([lines(text, 'a.js'), lines(text, 'b/a.js')]);
  assert.deepEqual(one, two);
  assert.deepEqual(await highlightLines(oidOf(text), 'another text', { path: 'a.js' }), one);
});

test('who has gone does not wait, and somebody else with the same text is served', async () => {
  const gone = new AbortController();
  const text = `const gone = ${Math.random()};\n`;
  const first = lines(`${text}// before`, 'a.js');
  const theirs = inScope({ caller: 'user:1', signal: gone.signal }, () => lines(text, 'a.js'));
  const ours = lines(text, 'a.js');
  gone.abort(new Error('gone'));
  await assert.rejects(theirs, /gone/);
  assert.match((await ours)[0]!, /hljs-keyword/);
  await first;
});

test('where no thread can be started texts stay plain, until one can', async (t) => {
  releaseAll();
  const language: Language = { path: 'a.js' };
  for (const when of ['at once', 'soon'] as const) {
    const again = failingThreads(when);
    t.after(again);
    assert.deepEqual(await highlightLines(`without ${when}`, 'const x', language), ['const x']);
    again();
    assert.match((await highlightLines(`without ${when}`, 'const x', language))[0]!, /hljs-keyword/);
    releaseAll();
  }
});

test('colours can be read on white and on black', () => {
  const rules = [...highlightStyles.matchAll(/light-dark\((#[0-9a-f]{6}),(#[0-9a-f]{6})\)/g)];
  assert.ok(rules.length > 5);
  for (const [, light = '', dark = ''] of rules) {
    assert.ok(contrast(light, '#f6f8fa') >= 4.5, `${light} on light grey: ${contrast(light, '#f6f8fa')}`);
    assert.ok(contrast(dark, '#161b22') >= 4.5, `${dark} on dark grey: ${contrast(dark, '#161b22')}`);
  }
});

/** Contrast of two colours as the guidelines for accessibility measure it. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const [a, b] = [luminance(one), luminance(other)];
  return Math.max(a, b) / Math.min(a, b);
}
