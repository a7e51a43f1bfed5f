import { Type } from 'typebox';
import { Enum, Instant } from '../../../http/http.schema.ts';

export const PROCESS_MODES = ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'] as const;

/** A resource that jobs of a project use one at a time. */
export const ResourceGroup = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  process_mode: Enum(PROCESS_MODES),
  created_at: Instant(),
  updated_at: Instant(),
});
