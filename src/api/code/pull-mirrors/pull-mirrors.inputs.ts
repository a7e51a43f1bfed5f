import { type Static, Type } from 'typebox';
import { Nullable, propertiesOf, Secret } from '../../../http/http.schema.ts';

/** Attributes of an update (part 1, section 4.12). */
export const PullMirrorUpdate = Type.Object({
  enabled: Type.Optional(Type.Boolean({ description: 'Whether pull mirroring is enabled.' })),
  url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        'URL of the remote repository: http, https, ssh or git. Stored credentials are kept while the URL names the same repository.',
      examples: ['https://git.example/app.git'],
    }),
  ),
  auth_user: Type.Optional(Type.String({ maxLength: 255 })),
  auth_password: Type.Optional(Secret({ maxLength: 4096 })),
  mirror_trigger_builds: Type.Optional(Type.Boolean()),
  only_mirror_protected_branches: Type.Optional(Type.Boolean()),
  mirror_overwrites_diverged_branches: Type.Optional(Type.Boolean()),
  mirror_branch_regex: Type.Optional(
    Nullable(Type.String({ description: 'RE2 pattern; requires `only_mirror_protected_branches` to be false.' })),
  ),
});
export type PullMirrorUpdate = Static<typeof PullMirrorUpdate>;

/** At least one of these is required. */
export const UPDATE_NAMES = Object.keys(propertiesOf(PullMirrorUpdate));

const repositoryOfEvent = (description: string) =>
  Type.Optional(
    Type.Object(
      { full_name: Type.Optional(Type.String({ description: 'Path of the repository.', examples: ['tools/app'] })) },
      { description },
    ),
  );

const side = (description: string, ref: string) =>
  Type.Optional(
    Type.Object(
      {
        ref: Type.Optional(Type.String({ description: 'Name of the branch.', examples: [ref] })),
        sha: Type.Optional(
          Type.String({ description: 'Commit of the branch.', examples: ['6dcb09b5b57875f334f61aebed695e2e4193db5e'] }),
        ),
        repo: repositoryOfEvent('Repository of the branch.'),
      },
      { description },
    ),
  );

/** Event of a webhook of an external host; other fields are ignored. */
export const PullMirrorEvent = Type.Object({
  action: Type.Optional(Type.String({ description: 'Action of the pull request event.', examples: ['synchronize'] })),
  pull_request: Type.Optional(
    Type.Object(
      {
        number: Type.Optional(Type.Integer({ description: 'Number of the pull request.', examples: [7] })),
        head: side('Source branch.', 'feature'),
        base: side('Target branch.', 'main'),
      },
      { description: 'Only for pull request events.' },
    ),
  ),
});
export type PullMirrorEvent = Static<typeof PullMirrorEvent>;
