/** The address with what may be secret in it replaced by stars, as answers show it; null-safe for odd stored text. */
export function maskCredentials(address: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return '*****';
  }
  if (url.username !== '') url.username = '*****';
  if (url.password !== '') url.password = '*****';
  return url.href;
}
