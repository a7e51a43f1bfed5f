const LONGEST = 2_000;

/** What a range weighs; 1 where it does not say (RFC 9110, 12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((each) => each.startsWith('q='));
  if (given === undefined) return 1;
  const weight = Number(given.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}

/**
 * The media type that a client likes best (RFC 9110, 12.5.1).
 * @param header `Accept` as it was sent; without one all are the same to the client
 * @param types those that there are, the server's own choice first
 * @returns undefined where the client wants none of them
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
  const best = others.reduce((found, type) => (likes(type) > likes(found) ? type : found), first);
  return likes(best) > 0 ? best : undefined;
}

/** The same for whoever takes anything rather than nothing: the server's own choice where the client wants none. */
export const preferredType = (header: string | undefined, types: readonly [string, ...string[]]): string =>
  acceptableType(header, types) ?? types[0];
