import type { Token } from 'markdown-it';

/** Begins every id that a text makes, so that none is one of the page around it. */
export const ID_PREFIX = 'user-content-';
/** Maximum length of the name of a heading. */
const MAX_NAME = 255;

/** Names of a document's headings: unique, made of their texts. */
export class HeadingNames {
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();

  /** The name of a heading with this text. */
  next(text: string): string {
    const plain = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
      .slice(0, MAX_NAME);
    const name = /^\d+$/.test(plain) ? `anchor-${plain}` : plain || 'section';
    let count = this.#counts.get(name) ?? 0;
    let unique = count === 0 ? name : `${name}-${count}`;
    while (this.#taken.has(unique)) {
      count += 1;
      unique = `${name}-${count}`;
    }
    this.#counts.set(name, count);
    this.#taken.add(unique);
    return unique;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }
}

const SHOWN = new Set(['text', 'text_special', 'code_inline', 'mention', 'emoji']);

/** The text of a heading. */
export const headingText = (inline: Token | undefined): string =>
  (inline?.children ?? [])
    .map(({ type, content }) => (SHOWN.has(type) ? content : type === 'softbreak' ? ' ' : ''))
    .join('');
