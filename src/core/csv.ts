/** Beginnings of texts that spreadsheets treat as formulas. */
const FORMULA = /^[=+\-@;\t\r]/;

/**
 * A CSV row (RFC 4180) with its line end. Formula-like texts get a leading apostrophe; null becomes an empty cell, and
 * an empty text `""`.
 */
export const csvRow = (cells: readonly (string | number | null)[]): string => `${cells.map(cell).join(',')}\n`;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
