/** An accepted image format: its signature and file name extensions. */
interface Format {
  contentType: string;
  extensions: readonly [string, ...string[]];
  begins(bytes: Buffer): boolean;
}

const beginsWith =
  (...signatures: string[]) =>
  (bytes: Buffer): boolean =>
    signatures.some((signature) => bytes.subarray(0, signature.length).toString('latin1') === signature);

const FORMATS: readonly Format[] = [
  { contentType: 'image/png', extensions: ['png'], begins: beginsWith('\x89PNG\r\n\x1a\n') },
  { contentType: 'image/jpeg', extensions: ['jpg', 'jpeg'], begins: beginsWith('\xff\xd8\xff') },
  { contentType: 'image/gif', extensions: ['gif'], begins: beginsWith('GIF87a', 'GIF89a') },
  { contentType: 'image/bmp', extensions: ['bmp'], begins: beginsWith('BM') },
  { contentType: 'image/tiff', extensions: ['tiff', 'tif'], begins: beginsWith('II*\0', 'MM\0*') },
  { contentType: 'image/vnd.microsoft.icon', extensions: ['ico'], begins: beginsWith('\0\0\x01\0') },
  {
    contentType: 'image/webp',
    extensions: ['webp'],
    begins: (bytes) => beginsWith('RIFF')(bytes) && bytes.toString('latin1', 8, 12) === 'WEBP',
  },
];

/** Number of leading bytes that identify a format. */
export const SIGNATURE_BYTES = 16;

export const CONTENT_TYPES = FORMATS.map(({ contentType }) => contentType);

const MAX_NAME = 100;
const extensionOf = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/**
 * Name to store an image under: the uploaded name without characters that are special in a URL, with the extension of
 * the actual format. Undefined if it is not an image.
 */
export function pictureName(uploadName: string, bytes: Buffer): string | undefined {
  const format = FORMATS.find(({ begins }) => begins(bytes));
  if (format === undefined) return undefined;
  const base = uploadName.slice(Math.max(uploadName.lastIndexOf('/'), uploadName.lastIndexOf('\\')) + 1);
  const plain = base.replace(/[^A-Za-z0-9._+-]/g, '_').replace(/^\.+/, '');
  const extension = extensionOf(plain);
  const fits = format.extensions.includes(extension);
  const stem = fits ? plain.slice(0, -extension.length - 1) : plain;
  return `${stem.slice(0, MAX_NAME) || 'avatar'}.${fits ? extension : format.extensions[0]}`;
}

/** Content type of a name that `pictureName` made. */
export function contentTypeOf(name: string): string {
  const extension = extensionOf(name);
  return FORMATS.find(({ extensions }) => extensions.includes(extension))?.contentType ?? 'application/octet-stream';
}
