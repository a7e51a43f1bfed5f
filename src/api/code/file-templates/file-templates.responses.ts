import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

export const TemplateName = Type.Object({ key: Type.String(), name: Type.String() });

export const FileTemplate = Type.Object({ name: Type.String(), content: Type.String() });

const rules = (description: string, example: string) =>
  Type.Array(Type.String(), { description, examples: [[example]] });

export const LicenceTemplate = Type.Object({
  key: Type.String(),
  name: Type.String(),
  nickname: Nullable(Type.String()),
  featured: Type.Boolean({ description: 'Old name of `popular`.' }),
  popular: Type.Boolean({ description: 'Whether it is one of the licences that are shown first.' }),
  html_url: Type.String(),
  source_url: Type.String(),
  description: Type.String({ description: 'What it is about, in a sentence.' }),
  conditions: rules('What it asks for.', 'include-copyright'),
  permissions: rules('What it allows.', 'commercial-use'),
  limitations: rules('What it does not give.', 'liability'),
  content: Type.String({ description: 'Text of the licence.' }),
});
