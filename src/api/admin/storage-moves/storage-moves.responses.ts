import { type TProperties, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

const STATES = ['initial', 'scheduled', 'started', 'replicated', 'failed', 'finished', 'cleanup failed'] as const;

/** Repository storage move (part 2, section 2), with the moved object. */
const moveOf = <P extends TProperties>(moved: P) =>
  Type.Object({
    id: Type.Integer(),
    created_at: Instant(),
    state: Enum(STATES, { description: 'State of the move. Pushes are refused while it is `scheduled` or `started`.' }),
    source_storage_name: Type.String(),
    destination_storage_name: Type.String(),
    error_message: Nullable(Type.String({ description: 'Reason of a failure, or what clean-up left behind.' })),
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
    project_id: Nullable(Type.Integer({ description: 'Project of the snippet; null for personal snippets.' })),
    web_url: Type.String(),
    raw_url: Type.String(),
    ssh_url_to_repo: Type.String(),
    http_url_to_repo: Type.String(),
  }),
});

export const GroupStorageMove = moveOf({
  group: Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() }),
});

/** Confirms that moves of a whole storage are scheduled. */
export const Accepted = Type.Object({ message: Type.String() });
