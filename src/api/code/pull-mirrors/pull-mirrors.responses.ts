import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** Pull mirror (part 1, section 2). */
export const PullMirror = Type.Object({
  id: Type.Integer(),
  enabled: Type.Boolean({ description: 'Whether pull mirroring is enabled.' }),
  url: Nullable(
    Type.String({
      description: 'URL of the remote repository; user and password are masked.',
      examples: ['https://*****:*****@git.example/app.git'],
    }),
  ),
  update_status: Enum(['none', 'scheduled', 'started', 'finished', 'failed', 'canceled']),
  last_error: Nullable(Type.String()),
  last_update_at: Nullable(Instant()),
  last_update_started_at: Nullable(Instant()),
  last_successful_update_at: Nullable(Instant()),
  mirror_trigger_builds: Type.Boolean(),
  only_mirror_protected_branches: Type.Boolean(),
  mirror_overwrites_diverged_branches: Type.Boolean(),
  mirror_branch_regex: Nullable(Type.String()),
});
