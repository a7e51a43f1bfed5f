/** Maximum number of mails per event. */
const MAX_RECIPIENTS = 750;
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** Addresses of a list separated by spaces, commas or newlines, without duplicates. */
export const recipientsOf = (text: string): string[] =>
  [...new Set(text.split(/[\s,;]+/).filter((address) => ADDRESS.test(address)))].slice(0, MAX_RECIPIENTS);
