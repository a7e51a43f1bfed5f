/** What a parsed configuration may take of memory, counted as the platform counts it, and how deep it may be. */
export const MAX_PARSED_BYTES = 2 * 1024 * 1024;
export const MAX_DEPTH = 100;

/** A text in the memory of Ruby: short ones have their place in the object. */
export const textSize = (text: string): number => (text.length <= 23 ? 40 : 41 + text.length);
export const listSize = (length: number): number => (length <= 3 ? 40 : 40 + 8 * length);
/** Up to eight entries have a table of one size; beyond that it doubles. */
export const mapSize = (length: number): number => {
  if (length === 0) return 40;
  if (length <= 8) return 168;
  const places = 2 ** Math.ceil(Math.log2(length));
  return 40 + 56 + places * 26;
};
