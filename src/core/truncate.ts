/** Truncates a text to a number of UTF-16 units: a truncated text ends in `…`, and surrogate pairs are not split. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
