/** A text of at most so many UTF-16 units: one that is cut ends in `…`, and no character is cut in two. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
