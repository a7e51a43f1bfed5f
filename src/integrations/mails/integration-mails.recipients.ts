/** Mails that one event sends at most. */
const MAX_RECIPIENTS = 750;
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** Addresses of a list with blanks, commas or lines between them, each once. */
export const recipientsOf = (text: string): string[] =>
  [...new Set(text.split(/[\s,;]+/).filter((address) => ADDRESS.test(address)))].slice(0, MAX_RECIPIENTS);
