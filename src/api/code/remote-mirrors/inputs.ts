import { type Static, Type } from 'typebox';
import { AUTH_METHODS } from '../../../db/tables/remote-mirrors.ts';
import { Enum, Nullable, propertiesOf } from '../../../http/schema.ts';

const url = Type.String({
  maxLength: 2048,
  description: 'Address of the remote repository, with user and password where it wants them: http, https, ssh or git.',
  examples: ['https://ann:token@git.example/app.git'],
});

const attributes = {
  enabled: Type.Optional(Type.Boolean({ description: 'Whether the remote repository follows the project.' })),
  only_protected_branches: Type.Optional(Type.Boolean()),
  keep_divergent_refs: Type.Optional(Type.Boolean()),
  mirror_branch_regex: Type.Optional(
    Nullable(Type.String({ description: 'RE2; needs `only_protected_branches` to be false.' })),
  ),
  auth_method: Type.Optional(Enum(AUTH_METHODS)),
};

export const mirrorId = Type.Object({ mirror_id: Type.Integer() });

export const NewRemoteMirror = Type.Object({ url, ...attributes });
export type NewRemoteMirror = Static<typeof NewRemoteMirror>;

export const RemoteMirrorUpdate = Type.Object({ url: Type.Optional(url), ...attributes });
export type RemoteMirrorUpdate = Static<typeof RemoteMirrorUpdate>;

/** One of these has to be given. */
export const UPDATE_NAMES = Object.keys(propertiesOf(RemoteMirrorUpdate));
