import { type Static, Type } from 'typebox';
import { Filled, Nullable } from '../../../http/http.schema.ts';

export const Topic = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  title: Type.String(),
  description: Nullable(Type.String()),
  total_projects_count: Type.Integer({ description: 'Number of public and internal projects.' }),
  organization_id: Type.Integer(),
  avatar_url: Nullable(Type.String()),
});
export type Topic = Static<typeof Topic>;

export const name = Filled({ maxLength: 255, description: 'Unique, case-insensitive.' });
