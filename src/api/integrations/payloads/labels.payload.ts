import type { LabelFacts } from '../../../core/event-facts.ts';
import { isoSeconds } from './payloads.times.ts';

/** Renders a label for payloads. */
export const labelPayload = ({ id, name, color, description, project_id, group_id, ...times }: LabelFacts) => ({
  id,
  title: name,
  color,
  project_id,
  created_at: isoSeconds(times.created_at),
  updated_at: isoSeconds(times.updated_at),
  template: false,
  description,
  type: group_id === null ? 'ProjectLabel' : 'GroupLabel',
  group_id,
});
