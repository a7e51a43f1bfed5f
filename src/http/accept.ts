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
 * @param types those that there are, the server's own choice first: whoever wants none of them gets that one
 */
export function preferredType(header: string | undefined, types: readonly [string, ...string[]]): string {
  const [first, ...others] = types;
  if (header === undefined || header.length > LONGEST) return first;
  const weights = new Map(
    header.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      return [type, weightOf(parameters)] as const;
    }),
  );
  const likes = (type: string) =>
    weights.get(type) ?? weights.get(type.replace(/\/.*/, '/*')) ?? weights.get('*/*') ?? 0;
  return others.reduce((best, type) => (likes(type) > likes(best) ? type : best), first);
}
