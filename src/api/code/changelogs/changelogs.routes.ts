import { type Static, Type } from 'typebox';
import { invalidParameter } from '../../../core/core.errors.ts';
import { withoutLeadingSlash } from '../../../git/commits/index.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Filled, Instant } from '../../../http/http.schema.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject, type ProjectScope, pusher } from '../../api.access.ts';
import { DEFAULT_CONFIG_FILE } from './changelogs.config.ts';
import { isVersion } from './changelogs.versions.ts';
import { changelogSection, commitChangelog } from './changelogs.writes.ts';

const common = {
  version: Filled({
    description: 'Semantic version of the section, with or without a leading `v`.',
    examples: ['1.0.0'],
  }),
  from: Type.Optional(
    Type.String({
      description: 'Start of the commit range, exclusive; the tag of the previous stable version when absent.',
    }),
  ),
  to: Type.Optional(Type.String({ description: 'Last commit of the range.' })),
  date: Type.Optional(Instant({ description: 'Release date; now when absent.' })),
  trailer: Type.Optional(
    Type.String({ default: 'Changelog', maxLength: 255, description: 'Git trailer of commits to include.' }),
  ),
  config_file: Type.Optional(
    Type.String({
      default: DEFAULT_CONFIG_FILE,
      description: 'Path of the changelog configuration in the repository.',
    }),
  ),
  config_file_ref: Type.Optional(
    Type.String({
      description: 'Branch, tag or commit to read the configuration from; the default branch when absent.',
    }),
  ),
};
const Generate = Type.Object(common);

function requestOf(c: BaseContext & ProjectScope, input: Static<typeof Generate>, end: string) {
  if (!isVersion(input.version)) throw invalidParameter('version is invalid');
  return {
    project: c.project,
    caller: c.caller,
    permissions: c.permissions,
    version: input.version,
    from: input.from || undefined,
    to: input.to || end,
    date: input.date === undefined ? c.deps.clock.now() : new Date(input.date),
    trailer: input.trailer || 'Changelog',
    configFile: withoutLeadingSlash(input.config_file ?? '') || undefined,
    configRef: input.config_file_ref || undefined,
  };
}

export const changelogRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/changelog',
    summary: 'Generate the changelog of a version',
    credentials: API_AND_JOB_TOKENS,
    description: 'Does not commit anything.',
    access: inProject('read_code', { anonymous: true }),
    expensive: true,
    input: Generate,
    success: { status: 200, schema: Type.Object({ notes: Type.String({ description: 'The section, in Markdown.' }) }) },
    errors: [400, 404, 422, 429],
    handler: async (c) => ({ notes: await changelogSection(c.deps, requestOf(c, c.input, 'HEAD')) }),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/repository/changelog',
    summary: 'Add the changelog of a version to a file',
    description:
      'Creates a commit, unless the file already has a section for this version. Sections are ordered by version.',
    access: pusher,
    expensive: true,
    input: Type.Object({
      ...common,
      branch: Type.Optional(Type.String({ description: 'Branch to commit to; the default branch when absent.' })),
      file: Type.Optional(Type.String({ default: 'CHANGELOG.md', description: 'File to add the section to.' })),
      message: Type.Optional(Type.String({ description: 'Commit message; generated when absent.' })),
    }),
    success: { status: 200, schema: Type.Literal(200), description: 'The file contains the section.' },
    errors: [400, 403, 404, 422, 429],
    handler: async (c) => {
      const { actor, input, project } = c;
      const branch = input.branch || ((await repositoryOf(c.deps, project).refs.head()) ?? 'main');
      await commitChangelog(c.deps, {
        ...requestOf(c, input, `refs/heads/${branch}`),
        actor,
        branch,
        file: withoutLeadingSlash(input.file ?? '') || 'CHANGELOG.md',
        message: input.message || `Add changelog for version ${input.version}`,
      });
      return 200;
    },
  }),
];
