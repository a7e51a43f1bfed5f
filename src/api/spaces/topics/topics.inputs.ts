import { Type } from 'typebox';
import { Filled, Nullable, Upload } from '../../../http/http.schema.ts';
import { name } from './topics.responses.ts';

const rest = {
  avatar: Type.Optional(Upload({ description: 'An image of at most 200 KiB; an empty string removes it.' })),
  description: Type.Optional(Nullable(Type.String({ maxLength: 1_024 }))),
};

export const CreateTopicInput = Type.Object({ name, title: Filled({ maxLength: 255 }), ...rest });

export const UpdateTopicInput = Type.Object({
  name: Type.Optional(name),
  title: Type.Optional(Filled({ maxLength: 255 })),
  ...rest,
});
