/** Limits of a YAML text. */
export interface YamlLimits {
  /** Maximum memory of the parsed data, counted like the platform. */
  parsedBytes: number;
  /** How deep it may be nested. */
  depth: number;
}

/** Default limits. */
export const YAML_LIMITS: YamlLimits = { parsedBytes: 2 * 1024 * 1024, depth: 100 };

/** Size of a text in Ruby: short ones are stored in the object. */
export const textSize = (text: string): number => (text.length <= 23 ? 40 : 41 + text.length);
export const listSize = (length: number): number => (length <= 3 ? 40 : 40 + 8 * length);
/** Up to eight entries share one table size; beyond that it doubles. */
export const mapSize = (length: number): number => {
  if (length === 0) return 40;
  if (length <= 8) return 168;
  const places = 2 ** Math.ceil(Math.log2(length));
  return 40 + 56 + places * 26;
};
