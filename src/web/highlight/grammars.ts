import type { LanguageData, LanguageDetector } from '../../core/language-detection.ts';
import { type GrammarName, grammars, type Highlighter, highlighter } from './grammar-modules.js';

/** Grammars of languages that have no grammar of their name. */
const GRAMMAR_OF: Readonly<Record<string, GrammarName>> = {
  ApacheConf: 'apache',
  Assembly: 'x86asm',
  Astro: 'xml',
  Batchfile: 'dos',
  Blade: 'php-template',
  'C-ObjDump': 'x86asm',
  'Common Lisp': 'lisp',
  Cuda: 'cpp',
  Cython: 'python',
  Dotenv: 'bash',
  EJS: 'xml',
  EditorConfig: 'ini',
  'Emacs Lisp': 'lisp',
  'Free Pascal': 'delphi',
  'Git Config': 'ini',
  'GitHub Actions': 'yaml',
  HLSL: 'glsl',
  'HTML+Django': 'django',
  'HTML+ERB': 'erb',
  'HTML+PHP': 'php-template',
  'Java Properties': 'properties',
  'Java Server Pages': 'xml',
  'Jupyter Notebook': 'json',
  'Linux Kernel Module': 'plaintext',
  'Maven POM': 'xml',
  'NPM Config': 'ini',
  'Objective-C': 'objectivec',
  'Objective-C++': 'objectivec',
  PLSQL: 'sql',
  PLpgSQL: 'pgsql',
  Pascal: 'delphi',
  'Protocol Buffer': 'protobuf',
  'RPM Spec': 'bash',
  Racket: 'scheme',
  Reason: 'reasonml',
  Sass: 'scss',
  Shell: 'bash',
  ShellSession: 'shell',
  Starlark: 'python',
  Svelte: 'xml',
  SystemVerilog: 'verilog',
  TSQL: 'sql',
  TeX: 'latex',
  'Unix Assembly': 'x86asm',
  'Vim Script': 'vim',
  'Visual Basic .NET': 'vbnet',
  Vue: 'xml',
  WebAssembly: 'wasm',
  'XML Property List': 'xml',
  XSLT: 'xml',
};

/** A line that only Objective-C has. */
const OBJECTIVE_C = /^(?:#import|@(?:class|import|interface|implementation|protocol))\b/m;

/** Language of a text: that of a file with this path, or with this name or alias. */
export type Language = { readonly path: string } | { readonly name: string };

/** A highlighter with all grammars; each is compiled when it is first used. */
export function newHighlighter(): Highlighter {
  const own = highlighter.newInstance();
  for (const [name, grammar] of Object.entries(grammars)) own.registerLanguage(name, grammar);
  return own;
}

/** The first of some languages that has a grammar: its name; null if there is none. */
function firstGrammar(own: Highlighter, languages: readonly LanguageData[]): string | null {
  for (const { name, aliases = [], group = '' } of languages) {
    const known = GRAMMAR_OF[name];
    if (known !== undefined) return known;
    const found = [name, ...aliases, GRAMMAR_OF[group] ?? group].find(
      (each) => each !== '' && own.getLanguage(each.toLowerCase()) !== undefined,
    );
    if (found !== undefined) return found.toLowerCase();
  }
  return null;
}

/**
 * Name of the grammar for a text; null if there is none.
 * @param text decides where the path does not: `#!` in its first line
 */
export function grammarOf(
  own: Highlighter,
  detector: LanguageDetector,
  language: Language,
  text: string,
): string | null {
  if ('name' in language) {
    const name = language.name
      .trim()
      .split(/[\s,{]/, 1)[0]!
      .toLowerCase();
    const named = detector.named(name);
    if (named !== undefined) return firstGrammar(own, [named]);
    return own.getLanguage(name) === undefined ? null : name;
  }
  // Of several languages the most frequent one is Objective-C or MATLAB.
  if (language.path.endsWith('.m')) return OBJECTIVE_C.test(text) ? 'objectivec' : 'matlab';
  const candidates = detector.candidates(language.path.slice(language.path.lastIndexOf('/') + 1));
  return firstGrammar(own, candidates.length > 0 ? candidates : detector.ofScript(text));
}
