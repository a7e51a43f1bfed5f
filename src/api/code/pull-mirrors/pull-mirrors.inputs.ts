import { type Static, Type } from 'typebox';
import { Nullable, propertiesOf, Secret } from '../../../http/http.schema.ts';

/** Part 1, section 4.12. */
export const PullMirrorUpdate = Type.Object({
  enabled: Type.Optional(Type.Boolean({ description: 'Whether the project follows the remote repository.' })),
  url: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        'Address of the remote repository: http, https, ssh or git. Stored credentials stay while it leads to the same repository.',
      examples: ['https://git.example/app.git'],
    }),
  ),
  auth_user: Type.Optional(Type.String({ maxLength: 255 })),
  auth_password: Type.Optional(Secret({ maxLength: 4096 })),
  mirror_trigger_builds: Type.Optional(Type.Boolean()),
  only_mirror_protected_branches: Type.Optional(Type.Boolean()),
  mirror_overwrites_diverged_branches: Type.Optional(Type.Boolean()),
  mirror_branch_regex: Type.Optional(
    Nullable(Type.String({ description: 'RE2; needs `only_mirror_protected_branches` to be false.' })),
  ),
});
export type PullMirrorUpdate = Static<typeof PullMirrorUpdate>;

/** One of these has to be given. */
export const UPDATE_NAMES = Object.keys(propertiesOf(PullMirrorUpdate));

const repositoryOfEvent = (description: string) =>
  Type.Optional(
    Type.Object(
      { full_name: Type.Optional(Type.String({ description: 'Its path.', examples: ['tools/app'] })) },
      { description },
    ),
  );

const side = (description: string, ref: string) =>
  Type.Optional(
    Type.Object(
      {
        ref: Type.Optional(Type.String({ description: 'Name of the branch.', examples: [ref] })),
        sha: Type.Optional(
          Type.String({ description: 'Its commit.', examples: ['6dcb09b5b57875f334f61aebed695e2e4193db5e'] }),
        ),
        repo: repositoryOfEvent('The repository of the branch.'),
      },
      { description },
    ),
  );

/** What a webhook of an external host sends along; of all that it has these are read. */
export const PullMirrorEvent = Type.Object({
  action: Type.Optional(Type.String({ description: 'What became of the pull request.', examples: ['synchronize'] })),
  pull_request: Type.Optional(
    Type.Object(
      {
        number: Type.Optional(Type.Integer({ description: 'Its number there.', examples: [7] })),
        head: side('What is to be merged.', 'feature'),
        base: side('What it is to be merged into.', 'main'),
      },
      { description: 'Only for the event of a pull request.' },
    ),
  ),
});
export type PullMirrorEvent = Static<typeof PullMirrorEvent>;
