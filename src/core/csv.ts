/** What makes a table program take a text for a formula. */
const FORMULA = /^[=+\-@;\t\r]/;

/**
 * A row of a CSV file (RFC 4180) with its line end. A text that a table program would run as a formula gets an apostrophe
 * before it; nothing stands for null, and `""` for an empty text.
 */
export const csvRow = (cells: readonly (string | number | null)[]): string => `${cells.map(cell).join(',')}\n`;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
