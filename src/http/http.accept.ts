const LONGEST = 2_000;

/** Weight of a media range; 1 by default (RFC 9110, 12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const quality = parameters.find((each) => each.startsWith('q='));
  if (quality === undefined) return 1;
  const weight = Number(quality.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}

/**
 * Selects the media type that the client prefers (RFC 9110, 12.5.1).
 * @param header the `Accept` header; if absent, any type is acceptable
 * @param types available types, the server's default first
 * @returns undefined if the client accepts none of them
 */
export function acceptableType<T extends string>(
  header: string | undefined,
  types: readonly [T, ...T[]],
): T | undefined {
  const [first, ...others] = types;
  if (header === undefined || header.trim() === '' || header.length > LONGEST) return first;
  const weights = new Map(
    header.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      return [type, weightOf(parameters)] as const;
    }),
  );
  const likes = (type: string) =>
    weights.get(type) ?? weights.get(type.replace(/\/.*/, '/*')) ?? weights.get('*/*') ?? 0;
  const best = others.reduce((preferred, type) => (likes(type) > likes(preferred) ? type : preferred), first);
  return likes(best) > 0 ? best : undefined;
}

/** Selects the preferred media type; falls back to the server's default if the client accepts none. */
export const preferredType = (header: string | undefined, types: readonly [string, ...string[]]): string =>
  acceptableType(header, types) ?? types[0];
