import { type TSchema, Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';
import { FLAGS, SHOWN_FLAGS } from '../../../integrations/catalogue/catalogue.flags.ts';

const flags = Object.fromEntries(
  SHOWN_FLAGS.map((flag): [string, TSchema] => [flag, Type.Boolean({ description: FLAGS[flag][0] })]),
);

const base = {
  id: Type.Integer(),
  title: Type.String({ description: 'Title of the integration.', examples: ['Slack notifications'] }),
  slug: Type.String({ description: 'Slug of the integration, as used in URLs.', examples: ['slack'] }),
  created_at: Instant(),
  updated_at: Instant(),
  active: Type.Boolean({ description: 'Whether the integration is active.' }),
  ...flags,
  inherited: Type.Boolean({ description: 'Whether the settings are inherited from a group.' }),
};

/** An integration in a list (part 2, section 2, "Group integration"). */
export const IntegrationEntry = Type.Object(base);

/** An integration with its settings. */
export const IntegrationSettings = Type.Object({
  ...base,
  properties: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Settings by name, without tokens, passwords and URLs of chats.',
  }),
});
