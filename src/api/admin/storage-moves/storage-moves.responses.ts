import { type TProperties, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

const STATES = ['initial', 'scheduled', 'started', 'replicated', 'failed', 'finished', 'cleanup failed'] as const;

/** Repository storage move (part 2, section 2), with what is moved. */
const moveOf = <P extends TProperties>(moved: P) =>
  Type.Object({
    id: Type.Integer(),
    created_at: Instant(),
    state: Enum(STATES, { description: 'How far it is; while it is scheduled or started nobody can push.' }),
    source_storage_name: Type.String(),
    destination_storage_name: Type.String(),
    error_message: Nullable(Type.String({ description: 'Why it failed, or what was left behind.' })),
    ...moved,
  });

export const ProjectStorageMove = moveOf({
  project: Type.Object({
    id: Type.Integer(),
    description: Nullable(Type.String()),
    name: Type.String(),
    name_with_namespace: Type.String(),
    path: Type.String(),
    path_with_namespace: Type.String(),
    created_at: Instant(),
  }),
});

export const SnippetStorageMove = moveOf({
  snippet: Type.Object({
    id: Type.Integer(),
    title: Type.String(),
    description: Nullable(Type.String()),
    visibility: Enum(VISIBILITIES),
    updated_at: Instant(),
    created_at: Instant(),
    project_id: Nullable(Type.Integer({ description: 'Null for personal snippets.' })),
    web_url: Type.String(),
    raw_url: Type.String(),
    ssh_url_to_repo: Type.String(),
    http_url_to_repo: Type.String(),
  }),
});

export const GroupStorageMove = moveOf({
  group: Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() }),
});

/** That a shard is being emptied. */
export const Accepted = Type.Object({ message: Type.String() });
