/** A text of at most so many UTF-16 units: one that is cut ends in `…`, and no character is cut in two. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
