import { type TSchema, Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';
import { SHOWN_FLAGS } from '../../../integrations/catalogue/catalogue.flags.ts';
import { FLAG_WORDS } from './flag-words.ts';

const flags = Object.fromEntries(
  SHOWN_FLAGS.map((flag): [string, TSchema] => [flag, Type.Boolean({ description: FLAG_WORDS[flag] })]),
);

const base = {
  id: Type.Integer(),
  title: Type.String({ description: 'What its kind is called.', examples: ['Slack notifications'] }),
  slug: Type.String({ description: 'What addresses call its kind.', examples: ['slack'] }),
  created_at: Instant(),
  updated_at: Instant(),
  active: Type.Boolean({ description: 'Whether it is told of anything.' }),
  ...flags,
  inherited: Type.Boolean({ description: 'Whether it is that of a group above.' }),
};

/** Part 2, section 2, "Group integration". */
export const IntegrationEntry = Type.Object(base);

/** The same with what was set up of it. */
export const IntegrationSettings = Type.Object({
  ...base,
  properties: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What was set up of it, by name; tokens, passwords and the addresses of chats are left out.',
  }),
});
