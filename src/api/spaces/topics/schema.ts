import { type Static, Type } from 'typebox';
import { Filled, Nullable, Upload } from '../../../http/schema.ts';

export const Topic = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  title: Type.String(),
  description: Nullable(Type.String()),
  total_projects_count: Type.Integer({ description: 'Projects that are not private.' }),
  organization_id: Type.Integer(),
  avatar_url: Nullable(Type.String()),
});
export type Topic = Static<typeof Topic>;

const name = Filled({ maxLength: 255, description: 'Unique without regard to case.' });
const rest = {
  avatar: Type.Optional(Upload({ description: 'A picture of at most 200 KiB; an empty text removes it.' })),
  description: Type.Optional(Nullable(Type.String({ maxLength: 1_024 }))),
};

export const CreateTopicInput = Type.Object({ name, title: Filled({ maxLength: 255 }), ...rest });
export const UpdateTopicInput = Type.Object({
  name: Type.Optional(name),
  title: Type.Optional(Filled({ maxLength: 255 })),
  ...rest,
});
