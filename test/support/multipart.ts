const BOUNDARY = 'boundary-of-the-test';

/** A multipart body with fields and, last, a file: to be spread into the options of a request. */
export function multipart(
  fields: Record<string, string>,
  file?: { field: string; name: string; bytes: Buffer; type?: string },
): { body: Buffer; headers: Record<string, string> } {
  const parts: Uint8Array[] = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  );
  if (file !== undefined) {
    const { field, name, bytes, type = 'application/octet-stream' } = file;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
    parts.push(Buffer.from(head), bytes, Buffer.from('\r\n'));
  }
  return {
    body: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}
