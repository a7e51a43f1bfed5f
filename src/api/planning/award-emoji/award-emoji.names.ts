import { once } from '../../../core/core.once.ts';

/** Data of the package `emoji-toolkit`: names by code points, with colons; aliases are separated by `|`. */
type AlphaCodes = Record<string, { alpha_code: string; aliases: string }>;

/** Joiner and variation selector, which the package leaves out of its code points. */
const LEFT_OUT = new Set([0x200d, 0xfe0f]);

const bare = (code: string): string => code.slice(1, -1);
const codePoints = (emoji: string): string[] =>
  [...emoji].map((char) => char.codePointAt(0)!).flatMap((code) => (LEFT_OUT.has(code) ? [] : code.toString(16)));
const unpadded = (key: string): string => key.replace(/\b0+/g, '');

interface Names {
  /** Canonical name by name and alias: those of the platform, and those of other forges. */
  byAlias: ReadonlyMap<string, string>;
  /** Name of each emoji, by its code points. */
  byCodePoints: ReadonlyMap<string, string>;
}

async function load(): Promise<Names> {
  const { default: file } = await import('emoji-toolkit/extras/alpha-codes/eac.json', { with: { type: 'json' } });
  const codes: AlphaCodes = file;
  const names = new Map<string, string>();
  const byCodePoints = new Map<string, string>();
  for (const [key, { alpha_code }] of Object.entries(codes)) {
    byCodePoints.set(unpadded(key), bare(alpha_code));
    names.set(bare(alpha_code), bare(alpha_code));
  }
  const alias = (name: string, to: string) => {
    if (!names.has(name)) names.set(name, to);
  };
  for (const { alpha_code, aliases } of Object.values(codes)) {
    for (const each of aliases.split('|')) if (each !== '') alias(bare(each), bare(alpha_code));
  }
  const { gemoji } = await import('gemoji');
  for (const { emoji, names: others } of gemoji) {
    const name = byCodePoints.get(codePoints(emoji).join('-'));
    if (name !== undefined) for (const other of others) alias(other, name);
  }
  return { byAlias: names, byCodePoints };
}

const names = once(load);

/**
 * The canonical name of an emoji (part 1, section 4.10): `+1` gives `thumbsup`.
 * @param name without colons
 * @returns undefined if it is not an emoji
 */
export async function emojiName(name: string): Promise<string | undefined> {
  // The names are loaded on first use: most processes never need them.
  return (await names()).byAlias.get(name);
}

/** Upper bound of the length of an emoji; the longest ones are families and flags of regions. */
const MAX_EMOJI = 50;

/** The name of the emoji that a text consists of; undefined for other texts. */
export async function emojiNameOf(emoji: string): Promise<string | undefined> {
  if (emoji.length > MAX_EMOJI) return undefined;
  return (await names()).byCodePoints.get(codePoints(emoji).join('-'));
}
