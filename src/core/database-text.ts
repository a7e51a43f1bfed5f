/**
 * Whether a database can store all texts of a JSON value: PostgreSQL accepts neither null bytes nor unpaired
 * surrogates.
 */
export function isDatabaseText(value: unknown): boolean {
  let storable = true;
  const check = (text: string) => {
    if (text.includes('\0') || !text.isWellFormed()) storable = false;
  };
  JSON.stringify(value, (key, each: unknown) => {
    check(key);
    if (typeof each === 'string') check(each);
    return each;
  });
  return storable;
}
