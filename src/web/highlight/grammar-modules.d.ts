/** The part of highlight.js that is used. */
export interface Grammar {
  readonly name: string;
}

/** Receives what a grammar finds in a text. */
export interface Emitter {
  addText(text: string): void;
  openNode(scope: string): void;
  closeNode(): void;
  startScope(scope: string): void;
  endScope(): void;
  finalize(): void;
  toHTML(): string;
  __addSublanguage(emitter: Emitter, name: string | undefined): void;
}

export interface HighlightResult {
  readonly _emitter: Emitter;
  readonly errorRaised?: Error;
}

export interface Highlighter {
  newInstance(): Highlighter;
  configure(options: { __emitter: new () => Emitter }): void;
  registerLanguage(name: string, grammar: (highlighter: Highlighter) => Grammar): void;
  getLanguage(name: string): Grammar | undefined;
  highlight(text: string, options: { language: string; ignoreIllegals: boolean }): HighlightResult;
}

export type GrammarName =
  | 'ada'
  | 'apache'
  | 'applescript'
  | 'arduino'
  | 'asciidoc'
  | 'awk'
  | 'bash'
  | 'c'
  | 'clojure'
  | 'cmake'
  | 'coffeescript'
  | 'cpp'
  | 'crystal'
  | 'csharp'
  | 'css'
  | 'd'
  | 'dart'
  | 'delphi'
  | 'diff'
  | 'django'
  | 'dockerfile'
  | 'dos'
  | 'elixir'
  | 'elm'
  | 'erb'
  | 'erlang'
  | 'fortran'
  | 'fsharp'
  | 'gherkin'
  | 'glsl'
  | 'go'
  | 'gradle'
  | 'graphql'
  | 'groovy'
  | 'haml'
  | 'handlebars'
  | 'haskell'
  | 'haxe'
  | 'http'
  | 'ini'
  | 'java'
  | 'javascript'
  | 'json'
  | 'julia'
  | 'kotlin'
  | 'latex'
  | 'less'
  | 'lisp'
  | 'llvm'
  | 'lua'
  | 'makefile'
  | 'markdown'
  | 'matlab'
  | 'nginx'
  | 'nim'
  | 'nix'
  | 'objectivec'
  | 'ocaml'
  | 'perl'
  | 'pgsql'
  | 'php'
  | 'php-template'
  | 'plaintext'
  | 'powershell'
  | 'prolog'
  | 'properties'
  | 'protobuf'
  | 'puppet'
  | 'python'
  | 'qml'
  | 'r'
  | 'reasonml'
  | 'ruby'
  | 'rust'
  | 'scala'
  | 'scheme'
  | 'scss'
  | 'shell'
  | 'smalltalk'
  | 'sql'
  | 'stylus'
  | 'swift'
  | 'tcl'
  | 'thrift'
  | 'twig'
  | 'typescript'
  | 'vala'
  | 'vbnet'
  | 'verilog'
  | 'vhdl'
  | 'vim'
  | 'wasm'
  | 'x86asm'
  | 'xml'
  | 'xquery'
  | 'yaml';

export declare const grammars: Readonly<Record<GrammarName, (highlighter: Highlighter) => Grammar>>;
export declare const highlighter: Highlighter;
