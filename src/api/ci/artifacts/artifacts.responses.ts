import { type Static, Type } from 'typebox';
import { Enum } from '../../../http/http.schema.ts';
import type { ArchiveEntry } from '../../../storage/zip/zip.entries.ts';

export const ArtifactEntry = Type.Object({
  name: Type.String({ description: 'Name within its directory.', examples: ['app.js'] }),
  path: Type.String({
    description: 'Path in the archive. Paths of directories end in a slash.',
    examples: ['dist/app.js'],
  }),
  type: Enum(['file', 'directory']),
  size: Type.Optional(Type.Integer({ description: 'Size in bytes; only for files.', examples: [1024] })),
  mode: Type.String({ description: 'Unix file mode, octal.', examples: ['100644'] }),
});

const MODES = { file: 0o100644, directory: 0o040755 } as const;

/** Renders an entry of an archive. */
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
