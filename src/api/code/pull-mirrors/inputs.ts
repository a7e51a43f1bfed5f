import { type Static, Type } from 'typebox';
import { Nullable, propertiesOf, Secret } from '../../../http/schema.ts';

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
