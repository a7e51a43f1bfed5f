const MAX_CHARACTERS = 256;

/** Error message for lists that `areUserIds` rejects. */
export const USER_IDS_RULE = `must be a string of unique comma separated values each ${MAX_CHARACTERS} characters or less`;

/** Whether a text is a list of unique user ids separated by commas, without empty ids and surrounding blanks. */
export function areUserIds(text: string): boolean {
  if (text === '') return true;
  if (/[\n\r\t]|,,/.test(text)) return false;
  const ids = (text.endsWith(',') ? text.slice(0, -1) : text).split(',');
  return (
    new Set(ids).size === ids.length &&
    ids.every((id) => id !== '' && id.trim() === id && characters(id) <= MAX_CHARACTERS)
  );
}

const characters = (text: string): number => (text.length <= MAX_CHARACTERS ? text.length : [...text].length);
