import { parseDocument, stringify } from 'yaml';
import { invalidModel } from '../../../core/core.errors.ts';

/** Maximum length in characters; longer blocks are part of the content. */
const MAX_LENGTH = 15 * 1024;
const MAX_DEPTH = 10;
const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)\r?\n?^---[ \t]*(?:\r?\n|$)/m;

export type FrontMatter = Record<string, unknown>;

/** Parses the YAML front matter of a text; empty if there is none, or it is not a map of plain values. */
export function frontMatterOf(text: string): FrontMatter {
  if (!text.startsWith('---')) return {};
  const match = BLOCK.exec(text.slice(0, MAX_LENGTH));
  if (match === null || match.index !== 0) return {};
  try {
    const document = parseDocument(match[1]!, { schema: 'core', uniqueKeys: true, logLevel: 'silent' });
    if (document.errors.length > 0) return {};
    // Without aliases, by which a small block can expand to a large one.
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return isMap(value) && isFlat(value, MAX_DEPTH) ? value : {};
  } catch {
    return {};
  }
}

/** Whether a value is nested at most `depth` levels deep. */
const isFlat = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((part) => isFlat(part, depth - 1)));

const isMap = (value: unknown): value is FrontMatter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes the front matter from a text. */
export const withoutFrontMatter = (text: string): string => {
  const match = text.startsWith('---') ? BLOCK.exec(text) : null;
  return match === null || match.index !== 0 ? text : text.slice(match[0].length).replace(/^\r?\n/, '');
};

/** Replaces the front matter of a text. @throws ApiError 400 if it is too long */
export function withFrontMatter(text: string, matter: FrontMatter): string {
  const block = Object.keys(matter).length === 0 ? '' : `---\n${stringify(matter)}---\n\n`;
  if (block.length > MAX_LENGTH) throw invalidModel({ front_matter: ['is too long'] });
  return block + withoutFrontMatter(text);
}
