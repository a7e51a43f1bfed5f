/** An email address with a display name, as in `Stithy <noreply@example.com>`. */
export interface MailAddress {
  name: string;
  address: string;
}

const NAMED = /^(?:"?([^"<>]*?)"?\s*<([^<>\s]+)>|([^<>\s"]+))$/;
const ADDRESS = /^[^\s@<>()[\],;:\\"]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/i;

/** Parses `name <address>` or a plain address. @returns undefined if it is invalid */
export function parseMailAddress(text: string): MailAddress | undefined {
  const [, name = '', named, alone] = NAMED.exec(text.trim()) ?? [];
  const address = named ?? alone;
  return address !== undefined && ADDRESS.test(address) ? { name: name.trim(), address } : undefined;
}
