import { type Static, Type } from 'typebox';
import { AUTH_METHODS } from '../../../db/tables/remote-mirrors.table.ts';
import { Enum, Nullable, propertiesOf } from '../../../http/http.schema.ts';

const ADDRESS = 'URL of the remote repository, with credentials if needed: http, https or ssh.';
const address = (description: string) =>
  Type.String({ maxLength: 2048, description, examples: ['https://ann:token@git.example/app.git'] });

const attributes = {
  enabled: Type.Optional(Type.Boolean({ description: 'Whether the push mirror is enabled.' })),
  only_protected_branches: Type.Optional(Type.Boolean()),
  keep_divergent_refs: Type.Optional(Type.Boolean()),
  mirror_branch_regex: Type.Optional(
    Nullable(Type.String({ description: 'RE2 pattern; requires `only_protected_branches` to be false.' })),
  ),
  auth_method: Type.Optional(Enum(AUTH_METHODS)),
};

export const mirrorId = Type.Object({ mirror_id: Type.Integer() });

export const NewRemoteMirror = Type.Object({ url: address(ADDRESS), ...attributes });
export type NewRemoteMirror = Static<typeof NewRemoteMirror>;

export const RemoteMirrorUpdate = Type.Object({
  url: Type.Optional(address(`${ADDRESS} Stored credentials are kept while the URL names the same repository.`)),
  ...attributes,
});
export type RemoteMirrorUpdate = Static<typeof RemoteMirrorUpdate>;

/** At least one of these is required. */
export const UPDATE_NAMES = Object.keys(propertiesOf(RemoteMirrorUpdate));
