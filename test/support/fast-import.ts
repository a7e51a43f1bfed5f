/** A text as git-fast-import reads it. */
export const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;

/** A path as git-fast-import reads it. */
export const quote = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
