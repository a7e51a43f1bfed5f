/** How much a text may stand for. */
export interface YamlLimits {
  /** What it may take of memory once it is read, counted as the platform counts it. */
  parsedBytes: number;
  /** How deep it may be nested. */
  depth: number;
}

/** Where nobody says otherwise. */
export const YAML_LIMITS: YamlLimits = { parsedBytes: 2 * 1024 * 1024, depth: 100 };

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
