/** Whether a database can keep every text of a JSON value: PostgreSQL takes none with a null byte, nor half a character. */
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
