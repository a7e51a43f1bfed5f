import { createHash } from 'node:crypto';

export interface NpmPublication {
  /** Of the package.json, beside name and version. */
  manifest?: Record<string, unknown>;
  tag?: string;
  bytes?: Buffer;
}

/** SHA-1 and SHA-512 of a file, as documents of npm have them. */
export const npmDigests = (bytes: Buffer) => ({
  shasum: createHash('sha1').update(bytes).digest('hex'),
  integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
});

/** What npm sends to publish a version. */
export function npmPublication(name: string, version: string, publication: NpmPublication = {}) {
  const { manifest = {}, tag = 'latest', bytes = Buffer.from(`${name} ${version}`) } = publication;
  const dist = { ...npmDigests(bytes), tarball: 'http://elsewhere.example.org/file.tgz' };
  return {
    _id: name,
    name,
    description: 'A package.',
    'dist-tags': { [tag]: version },
    versions: { [version]: { _id: `${name}@${version}`, name, version, ...manifest, dist } },
    access: null,
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: 'application/octet-stream',
        data: bytes.toString('base64'),
        length: bytes.length,
      },
    },
  };
}
