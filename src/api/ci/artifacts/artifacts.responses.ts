import { type Static, Type } from 'typebox';
import { Enum } from '../../../http/http.schema.ts';
import type { ArchiveEntry } from '../../../storage/zip/zip.entries.ts';

export const ArtifactEntry = Type.Object({
  name: Type.String({ description: 'Name in its directory.', examples: ['app.js'] }),
  path: Type.String({
    description: 'Path in the archive; that of a directory ends in a slash.',
    examples: ['dist/app.js'],
  }),
  type: Enum(['file', 'directory']),
  size: Type.Optional(Type.Integer({ description: 'Bytes; only of files.', examples: [1024] })),
  mode: Type.String({ description: 'Unix mode, octal.', examples: ['100644'] }),
});

const MODES = { file: 0o100644, directory: 0o040755 } as const;

/** An entry of an archive as the API shows it. */
export function presentEntry({ path, type, size, mode }: ArchiveEntry): Static<typeof ArtifactEntry> {
  const shown = type === 'directory' ? 'directory' : 'file';
  return {
    name: path.split('/').at(shown === 'directory' ? -2 : -1)!,
    path,
    type: shown,
    ...(shown === 'directory' ? {} : { size }),
    mode: (mode === 0 ? MODES[shown] : mode).toString(8).padStart(6, '0'),
  };
}
