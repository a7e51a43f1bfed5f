import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { splitRefPath } from '../../../git/repository/index.ts';
import { ARCHIVE_FORMATS } from '../../../git/trees/index.ts';
import { route } from '../../../http/http.route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { flat } from './repositories.archive.ts';
import { archiveCommon, sendArchive } from './repositories.archive-routes.ts';

/** Longest first: `tar.gz` before `gz`. */
const FORMATS = ARCHIVE_FORMATS.toSorted((a, b) => b.length - a.length);

/** Web URLs of archives, for build tools. */
export const archivePageRoutes = [
  route({
    ...archiveCommon,
    root: true,
    path: '/:id/-/archive/*rest',
    summary: 'Download an archive of the repository by its web address',
    description: 'With the path `<ref>/<project>-<ref>.<format>`, the archive unpacks into a folder of that name.',
    params: Type.Object({
      rest: Type.String({
        description: 'Branch, tag or commit, optionally followed by the file name; ends with the format.',
      }),
    }),
    input: Type.Object({ path: Type.Optional(Type.String({ description: 'Only this folder or file.' })) }),
    handler: async (c) => {
      const { rest } = c.params;
      const format = FORMATS.find((each) => rest.endsWith(`.${each}`));
      if (format === undefined) throw notFound('File');
      const split = await splitRefPath(repositoryOf(c.deps, c.project), rest.slice(0, -format.length - 1));
      if (split === null) throw notFound('File');
      const named = split.path === `${c.project.path}-${flat(split.ref)}`;
      return sendArchive(c, { sha: split.ref, format, path: c.input.path }, { withSha: !named });
    },
  }),
];
