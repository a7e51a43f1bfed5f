import type { StateCore } from 'markdown-it';
import { changeTexts, SplitText } from './text-tokens.ts';

/** An emoji and what it shows, by its short names. */
export type EmojiNames = ReadonlyMap<string, { emoji: string; description: string }>;

const SHORTCODE = /:([a-z0-9_+-]{1,60}):/g;
/** Whether a text may hold the short name of an emoji. */
export const mayHoldEmoji = (text: string): boolean => text.search(SHORTCODE) !== -1;

let names: Promise<EmojiNames> | undefined;

/** Loads all names, once. */
export function emojiNames(): Promise<EmojiNames> {
  names ??= import('gemoji').then(
    ({ gemoji }) => new Map(gemoji.flatMap((each) => each.names.map((name) => [name, each] as const))),
  );
  return names;
}

/** Turns `:tada:` into the emoji. Unknown names stay as they are. */
export function showEmoji(state: StateCore, known: EmojiNames): void {
  changeTexts(state, (token) => {
    const split = new SplitText(state, token.content);
    for (const { 0: whole, 1: name, index } of token.content.matchAll(SHORTCODE)) {
      const found = known.get(name!);
      if (found === undefined) continue;
      const emoji = new state.Token('emoji', 'gl-emoji', 0);
      emoji.content = found.emoji;
      emoji.attrs = [
        ['title', found.description],
        ['data-name', name!],
      ];
      split.put(index, index + whole.length, emoji);
    }
    return split.finish(token);
  });
}
