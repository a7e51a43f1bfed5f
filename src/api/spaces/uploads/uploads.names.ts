import { extname } from 'node:path/posix';

const MAX_BYTES = 200;

/** Content types that browsers may display; others are downloaded. None of them can contain scripts. */
const SHOWN: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  ico: 'image/vnd.microsoft.icon',
  webp: 'image/webp',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  spx: 'audio/ogg',
  wav: 'audio/wav',
  pdf: 'application/pdf',
};

/** Content types of uploads. */
export const SHOWN_TYPES: readonly string[] = [...new Set(['application/octet-stream', ...Object.values(SHOWN)])];

const extensionOf = (name: string): string => extname(name).slice(1).toLowerCase();

/**
 * Returns the content type of a file that may be displayed, by its name; undefined for a file that must be downloaded.
 */
export const shownType = (name: string): string | undefined => {
  const extension = extensionOf(name);
  return Object.hasOwn(SHOWN, extension) ? SHOWN[extension] : undefined;
};

/** Whether Markdown embeds the file instead of linking to it. */
const isEmbedded = (name: string): boolean =>
  extensionOf(name) === 'svg' || /^(?:image|video|audio)\//.test(shownType(name) ?? '');

/**
 * Returns a safe name for a file from the client's name: its last segment, limited to letters, digits, dots, hyphens,
 * underscores and plus signs of any script; never empty or only dots.
 */
export function uploadName(input: string): string {
  const base = input.slice(Math.max(input.lastIndexOf('/'), input.lastIndexOf('\\')) + 1).toWellFormed();
  const plain = base.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}\p{Pc}.+-]/gu, '_');
  const named = plain === '' ? 'unnamed' : /^\.+$/.test(plain) ? `_${plain}` : plain;
  if (Buffer.byteLength(named) <= MAX_BYTES) return named;
  const extension = extname(named).slice(0, 20);
  let stem = named.slice(0, named.length - extname(named).length);
  while (Buffer.byteLength(stem + extension) > MAX_BYTES) stem = [...stem].slice(0, -1).join('');
  return stem + extension;
}

/** Returns the alternative text, and the Markdown that embeds or links the file. */
export function markdownOf(name: string, url: string): { alt: string; markdown: string } {
  const embedded = isEmbedded(name);
  const alt = /^(?:image|video)\//.test(shownType(name) ?? '')
    ? name.slice(0, name.length - extname(name).length)
    : name;
  return { alt, markdown: `${embedded ? '!' : ''}[${alt}](${url})` };
}
