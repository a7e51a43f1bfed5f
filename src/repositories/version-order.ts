const PARTS = /\d+|\D+/g;

/** Compares two names as versions: runs of digits compare as numbers, so that `v1.9` comes before `v1.10`. */
export function compareVersions(a: string, b: string): number {
  const partsA = a.match(PARTS) ?? [];
  const partsB = b.match(PARTS) ?? [];
  const length = Math.min(partsA.length, partsB.length);
  for (let at = 0; at < length; at += 1) {
    const order = compareParts(partsA[at]!, partsB[at]!);
    if (order !== 0) return order;
  }
  return partsA.length - partsB.length || compareTexts(a, b);
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function compareParts(a: string, b: string): number {
  const [numberA, numberB] = [a, b].map((part) => (/^\d/.test(part) ? part.replace(/^0+(?=\d)/, '') : null));
  if (numberA == null || numberB == null) return compareTexts(a, b);
  return numberA.length - numberB.length || compareTexts(numberA, numberB);
}
