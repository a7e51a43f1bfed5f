import type { Emitter } from './grammar-modules.js';
import { escapeText } from './plain-lines.ts';

/** Scopes of grammars, whole or by their first part, and the class of their text; the text of others has none. */
const CLASSES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['addition', 'attr', 'attribute', 'built_in', 'bullet', 'code', 'comment', 'deletion', 'doctag', 'emphasis'],
      ...['formula', 'keyword', 'link', 'literal', 'meta', 'name', 'number', 'property', 'quote', 'regexp', 'section'],
      ...['selector-attr', 'selector-class', 'selector-id', 'selector-pseudo', 'selector-tag', 'string', 'strong'],
      ...['subst', 'symbol', 'tag', 'template-tag', 'template-variable', 'title', 'type', 'variable'],
    ].map((name) => [name, `hljs-${name}`]),
  ),
  char: 'hljs-symbol',
  'title.class': 'hljs-type',
  'variable.constant': 'hljs-literal',
  'variable.language': 'hljs-literal',
};

/** Maximum depth of spans; the text further in has the class of what it is in. */
const MAX_DEPTH = 16;
const CLOSE = '</span>';

const classOf = (scope: string): string | undefined => {
  const [first = '', second = ''] = scope.split('.', 2);
  return CLASSES[`${first}.${second}`] ?? CLASSES[first];
};

/** Thrown when the HTML becomes too long. */
export class TooLong extends Error {}

type Part = string | { scope: string } | null;

/** Collects what a grammar finds: texts, begins of scopes, and ends (null). */
export class PartCollector implements Emitter {
  readonly parts: Part[] = [];
  #open = 0;

  addText(text: string): void {
    if (text !== '') this.parts.push(text);
  }

  openNode(scope: string): void {
    this.#open += 1;
    this.parts.push({ scope });
  }

  closeNode(): void {
    if (this.#open === 0) return;
    this.#open -= 1;
    this.parts.push(null);
  }

  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  finalize(): void {
    while (this.#open > 0) this.closeNode();
  }

  __addSublanguage(emitter: Emitter): void {
    for (const part of (emitter as PartCollector).parts) this.parts.push(part);
  }

  toHTML(): string {
    return '';
  }
}

/**
 * HTML of what a grammar found, in lines: a span that goes over the end of a line is closed there, and opened again when
 * the next line has text.
 * @throws TooLong
 */
export function linesOf(parts: readonly Part[], maxLength: number): string {
  let html = '';
  /** Classes of the scopes around; undefined for those without one. */
  const scopes: (string | undefined)[] = [];
  /** Spans that are to be open, and how many of them are. */
  const spans: string[] = [];
  let written = 0;
  const add = (text: string) => {
    if (text === '') return;
    for (; written < spans.length; written += 1) html += `<span class="${spans[written]}">`;
    html += escapeText(text);
    if (html.length > maxLength) throw new TooLong('the highlighted text is too long');
  };
  for (const part of parts) {
    if (part === null) {
      if (scopes.pop() === undefined) continue;
      spans.pop();
      if (written > spans.length) {
        html += CLOSE;
        written -= 1;
      }
    } else if (typeof part === 'object') {
      const name = spans.length < MAX_DEPTH ? classOf(part.scope) : undefined;
      scopes.push(name);
      if (name !== undefined) spans.push(name);
    } else {
      let from = 0;
      for (let to = part.indexOf('\n'); to >= 0; to = part.indexOf('\n', from)) {
        add(part.slice(from, to));
        html += `${CLOSE.repeat(written)}\n`;
        written = 0;
        from = to + 1;
      }
      add(part.slice(from));
    }
  }
  return html;
}
