import type { StateCore, Token } from 'markdown-it';

const OPENS_LINK = /^<a[>\s]/i;
const CLOSES_LINK = /^<\/a\s*>/i;

/**
 * Replaces texts of a document by other tokens. Code and texts of links are left alone.
 * @param change gives what stands for a token
 * @param follow is told of each link and what is in it
 */
export function changeTexts(
  state: StateCore,
  change: (token: Token) => Token[],
  follow?: (link: Token, inside: Token | undefined) => void,
): void {
  for (const block of state.tokens) {
    if (block.type !== 'inline' || block.children === null) continue;
    let within = 0;
    const { children } = block;
    block.children = children.flatMap((token, index) => {
      const html = token.type === 'html_inline' ? token.content : '';
      if (token.type === 'link_open' || OPENS_LINK.test(html)) {
        if (token.type === 'link_open') follow?.(token, children[index + 1]);
        within += 1;
      }
      if (token.type === 'link_close' || CLOSES_LINK.test(html)) within = Math.max(within - 1, 0);
      return token.type === 'text' && within === 0 ? change(token) : [token];
    });
  }
}

/** Tokens for the parts of a text: what stands between the replaced ranges stays text. */
export class SplitText {
  readonly tokens: Token[] = [];
  readonly #state: StateCore;
  readonly #content: string;
  #at = 0;

  constructor(state: StateCore, content: string) {
    this.#state = state;
    this.#content = content;
  }

  /** Puts tokens in the place of a range, which must begin at or after the end of the last. */
  put(start: number, end: number, ...tokens: Token[]): void {
    this.#text(start);
    this.tokens.push(...tokens);
    this.#at = end;
  }

  /** All tokens, with the rest of the text. @param whole what is given if nothing was replaced */
  finish(whole: Token): Token[] {
    if (this.tokens.length === 0) return [whole];
    this.#text(this.#content.length);
    return this.tokens;
  }

  #text(until: number): void {
    if (until <= this.#at) return;
    const part = new this.#state.Token('text', '', 0);
    part.content = this.#content.slice(this.#at, until);
    this.tokens.push(part);
  }
}
