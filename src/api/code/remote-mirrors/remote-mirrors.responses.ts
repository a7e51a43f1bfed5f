import { Type } from 'typebox';
import { AUTH_METHODS, REMOTE_MIRROR_STATUSES } from '../../../db/tables/remote-mirrors.table.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** Push mirror (silent in the specification). */
export const RemoteMirror = Type.Object({
  id: Type.Integer(),
  enabled: Type.Boolean({ description: 'Whether the push mirror is enabled.' }),
  url: Type.String({
    description: 'URL of the remote repository; user and password are masked.',
    examples: ['https://*****:*****@git.example/app.git'],
  }),
  update_status: Enum(REMOTE_MIRROR_STATUSES),
  last_update_at: Nullable(Instant()),
  last_update_started_at: Nullable(Instant()),
  last_successful_update_at: Nullable(Instant()),
  last_error: Nullable(Type.String()),
  only_protected_branches: Type.Boolean(),
  keep_divergent_refs: Type.Boolean(),
  mirror_branch_regex: Nullable(Type.String()),
  auth_method: Enum(AUTH_METHODS),
  host_keys: Type.Array(Type.Object({ fingerprint_sha256: Type.String() })),
});

export const RemoteMirrorPublicKey = Type.Object({
  public_key: Type.String({
    description: 'Public key in OpenSSH format, one line.',
    examples: ['ssh-ed25519 AAAAC3Nz... tools/app@git.example'],
  }),
});
