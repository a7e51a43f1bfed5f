import { escapeHtml } from '../../core/html.ts';

/** A text with the ends of its lines as in Unix. */
export const withUnixLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

/**
 * Escapes a text for HTML. HTML would read a carriage return as the end of a line, and skip NUL.
 * @param text without `\r\n`
 */
export const escapeText = (text: string): string =>
  escapeHtml(text).replaceAll('\r', '&#13;').replaceAll('\0', '\u{fffd}');

/** HTML of a text as it is, in lines. */
export const plainLines = (text: string): string => escapeText(withUnixLineEnds(text));
