import { looksLikeNumber, plainValue } from './plain-values.ts';
import { YamlError } from './yaml-error.ts';

export type Style = 'plain' | 'single' | 'double' | 'literal';

const NOT_PRINTABLE = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const BREAK = /[\r\n\x85\u2028\u2029]/;
const OPENS_NO_PLAIN = /^[#,[\]{}&*!|>'"%@`]|^(?:---|\.\.\.)|^[?:-](?=[\s\0]|$)/;
const INSIDE_NO_PLAIN = /:(?=[\s\x85\u2028\u2029]|$)|[\s\x85\u2028\u2029]#/;

/**
 * Preferred style as in Ruby: double quotes for `$VAR` and `.hidden`, single quotes for texts that would be read as
 * another type, blocks for lines.
 */
function preferredStyle(text: string): Style {
  if (/\n(?!\n?$)/.test(text)) return 'literal';
  if (text === '<<') return 'single';
  if (/^[yYnN]$/.test(text)) return 'double';
  if (/^[^\p{L}\p{M}\p{Nd}\p{Pc}][^"\n]*$/mu.test(text)) return 'double';
  return readsAsText(text) ? 'plain' : 'single';
}

function readsAsText(text: string): boolean {
  // A Ruby symbol, or the beginning of an instant.
  if (/^:./.test(text) || /^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d/.test(text)) return false;
  if (/^0[0-7]*\.[0-9]/.test(text)) return false;
  try {
    return typeof plainValue(text) === 'string' && !looksLikeNumber(text);
  } catch (error) {
    if (error instanceof YamlError) return false;
    throw error;
  }
}

/** Styles that libyaml allows for a text. */
function allowed(text: string) {
  const edges = /^ | $/.test(text) || BREAK.test(text[0] ?? '') || BREAK.test(text.at(-1) ?? '');
  const spaceBreak = / [\r\n\x85\u2028\u2029]/.test(text);
  const breakSpace = /[\r\n\x85\u2028\u2029] /.test(text);
  const special = NOT_PRINTABLE.test(text);
  const broken = BREAK.test(text);
  return {
    plain: !(
      edges ||
      breakSpace ||
      spaceBreak ||
      special ||
      broken ||
      OPENS_NO_PLAIN.test(text) ||
      INSIDE_NO_PLAIN.test(text)
    ),
    single: !(breakSpace || spaceBreak || special),
    // NEL would be read as a line feed, and a final Unicode break would be read twice.
    block: text !== '' && !(/ $/.test(text) || spaceBreak || special || /\x85|[\u2028\u2029]$/.test(text)),
  };
}

/** Most texts: one line of words, too long for `true` and the like, without special characters. */
const PLAIN = /^[A-Za-z_][\x20-\x22\x24-\x39\x3b-\x7e]{5,}$/;

/** Style of a text. @param isKey keys are written on one line */
export function styleOf(text: string, isKey: boolean): Style {
  if (text === '') return 'single';
  if (PLAIN.test(text) && !text.endsWith(' ')) return 'plain';
  const may = allowed(text);
  const style = isKey && BREAK.test(text) ? 'double' : preferredStyle(text);
  if (style === 'literal') return may.block && !isKey ? 'literal' : 'double';
  if (style === 'double' || (style === 'plain' && may.plain)) return style;
  return may.single ? 'single' : 'double';
}
