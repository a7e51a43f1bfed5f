/** Encodes a header value: UTF-8 as bytes, control characters percent-encoded. */
export function headerValue(value: string | number | boolean): string {
  const text = String(value);
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const safe = text.replace(
    /[\x00-\x1f\x7f]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return Buffer.from(safe, 'utf8').toString('latin1');
}

/** The values as `X-Svc-*` and, for the platform's clients, as `X-Gitlab-*` headers. */
export function metadataHeaders(values: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    const name = key.replace(/_/g, '-');
    headers[`x-svc-${name}`] = headerValue(value);
    headers[`x-gitlab-${name}`] = headerValue(value);
  }
  return headers;
}

/**
 * A safe Content-Disposition header for any file name (RFC 6266).
 * @param kind `inline` shows, `attachment` saves
 */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
