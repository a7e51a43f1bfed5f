import { once } from './core.once.ts';

/** Data of a language required for detection. */
export interface LanguageData {
  readonly name: string;
  readonly type: 'data' | 'markup' | 'programming' | 'prose';
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  /** Programs named in the first line of its scripts. */
  readonly interpreters?: readonly string[];
  readonly aliases?: readonly string[];
  /** Language that its files are counted as. */
  readonly group?: string;
}

/** Extensions of several languages of which one is by far the most frequent. */
const USUAL: Readonly<Record<string, string>> = {
  '.as': 'ActionScript',
  '.asc': 'AsciiDoc',
  '.asm': 'Assembly',
  '.bb': 'BitBake',
  '.bf': 'Brainfuck',
  '.bs': 'Bluespec',
  '.cairo': 'Cairo',
  '.cfg': 'INI',
  '.cgi': 'Perl',
  '.cl': 'OpenCL',
  '.cs': 'C#',
  '.d': 'D',
  '.es': 'JavaScript',
  '.ex': 'Elixir',
  '.f': 'Fortran',
  '.for': 'Fortran',
  '.frag': 'GLSL',
  '.fs': 'F#',
  '.gd': 'GDScript',
  '.gs': 'JavaScript',
  '.hh': 'C++',
  '.html': 'HTML',
  '.jq': 'jq',
  '.json': 'JSON',
  '.l': 'Lex',
  '.lean': 'Lean',
  '.lisp': 'Common Lisp',
  '.ls': 'LiveScript',
  '.lsp': 'Common Lisp',
  '.m4': 'M4',
  '.md': 'Markdown',
  '.ml': 'OCaml',
  '.mm': 'Objective-C++',
  '.nu': 'Nushell',
  '.odin': 'Odin',
  '.php': 'PHP',
  '.pl': 'Perl',
  '.pm': 'Perl',
  '.pp': 'Puppet',
  '.properties': 'Java Properties',
  '.q': 'q',
  '.r': 'R',
  '.re': 'Reason',
  '.res': 'ReScript',
  '.rpy': "Ren'Py",
  '.rs': 'Rust',
  '.s': 'Assembly',
  '.sc': 'Scala',
  '.scd': 'SuperCollider',
  '.scm': 'Scheme',
  '.sol': 'Solidity',
  '.spec': 'RPM Spec',
  '.sql': 'SQL',
  '.srt': 'SubRip Text',
  '.st': 'Smalltalk',
  '.star': 'Starlark',
  '.t': 'Perl',
  '.tl': 'Teal',
  '.tpl': 'Smarty',
  '.ts': 'TypeScript',
  '.tsx': 'TSX',
  '.txt': 'Text',
  '.typ': 'Typst',
  '.v': 'Verilog',
  '.yaml': 'YAML',
  '.yml': 'YAML',
  '.yy': 'Yacc',
};

/** Program of a script, also behind `env`, without its version. */
const INTERPRETER = /^#!\s*(?:\S*\/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*\/)?([a-z+#-]+)/i;
/** Part of a first line that is looked at. */
const MAX_FIRST_LINE = 200;

/** Detects languages by file name, and by the first line of scripts. */
export class LanguageDetector {
  readonly #byFilename = new Map<string, LanguageData[]>();
  readonly #byExtension = new Map<string, LanguageData[]>();
  readonly #byName = new Map<string, LanguageData>();
  readonly #byAlias = new Map<string, LanguageData>();
  readonly #byInterpreter = new Map<string, LanguageData[]>();

  constructor(languages: Iterable<LanguageData>) {
    for (const language of languages) {
      this.#byName.set(language.name, language);
      for (const name of language.filenames ?? []) push(this.#byFilename, name, language);
      for (const ending of language.extensions ?? []) push(this.#byExtension, ending.toLowerCase(), language);
      for (const program of language.interpreters ?? []) push(this.#byInterpreter, program, language);
      for (const alias of language.aliases ?? []) this.#byAlias.set(alias, language);
    }
    for (const language of this.#byName.values()) this.#byAlias.set(language.name.toLowerCase(), language);
    for (const [ending, name] of Object.entries(USUAL)) {
      const language = this.#byName.get(name);
      if (language !== undefined) this.#byExtension.set(ending, [language]);
    }
  }

  /**
   * Languages of a file: by its whole name, else by its longest known extension.
   * @param name file name without folders
   */
  candidates(name: string): readonly LanguageData[] {
    const whole = this.#byFilename.get(name);
    if (whole !== undefined) return whole;
    const lower = name.toLowerCase();
    for (let dot = lower.indexOf('.'); dot >= 0; dot = lower.indexOf('.', dot + 1)) {
      const languages = this.#byExtension.get(lower.slice(dot));
      if (languages !== undefined) return languages;
    }
    return [];
  }

  /** Languages of a script by its first line, `#!/usr/bin/env python3`; none for other texts. */
  ofScript(text: string): readonly LanguageData[] {
    const program = INTERPRETER.exec(text.slice(0, MAX_FIRST_LINE).split('\n', 1)[0]!)?.[1];
    return (program === undefined ? undefined : this.#byInterpreter.get(program.toLowerCase())) ?? [];
  }

  /** Language by its name or an alias, in any case. */
  named(name: string): LanguageData | undefined {
    return this.#byAlias.get(name.toLowerCase());
  }

  /** Language that the files of a language are counted as; null if they are not counted. */
  counted(language: LanguageData): string | null {
    if (language.type !== 'programming' && language.type !== 'markup') return null;
    return language.group ?? language.name;
  }
}

/** The detector of all languages, loaded on demand, since their data is large and rarely needed. */
export const languageDetector: () => Promise<LanguageDetector> = once(async () => {
  const languages = await import('linguist-languages');
  return new LanguageDetector(Object.values<LanguageData>(languages));
});

function push(map: Map<string, LanguageData[]>, key: string, language: LanguageData): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [language]);
  else list.push(language);
}
