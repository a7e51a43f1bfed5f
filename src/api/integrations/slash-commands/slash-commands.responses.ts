import { type Static, Type } from 'typebox';
import { Enum } from '../../../http/http.schema.ts';

/** Response to a chat. */
export const CommandResponse = Type.Object({
  response_type: Enum(['ephemeral', 'in_channel'], {
    description: 'Whether the response is visible to the user only (`ephemeral`) or to the channel (`in_channel`).',
  }),
  status: Type.Integer({ description: 'Status code of the response.', examples: [200] }),
  text: Type.String({
    description: "Text of the response, in Slack's format.",
    examples: ['I closed an issue on your behalf.'],
  }),
  attachments: Type.Optional(
    Type.Array(
      Type.Object({
        fallback: Type.String({ description: 'Plain-text summary.' }),
        title: Type.String({ description: 'Title.', examples: ['Broken · #1'] }),
        title_link: Type.String({ description: 'URL of the title.' }),
        text: Type.Optional(Type.String({ description: 'Further text.' })),
        color: Type.String({ description: 'Colour of the border.', examples: ['#C95823'] }),
        fields: Type.Array(
          Type.Object({
            title: Type.String({ description: 'Title of the field.', examples: ['Assignee'] }),
            value: Type.String({ description: 'Value of the field.', examples: ['Ann'] }),
            short: Type.Boolean({ description: 'Whether another field fits beside it.' }),
          }),
          { description: 'Further fields.' },
        ),
      }),
      { description: 'Attachments with details.' },
    ),
  ),
});
export type CommandResponse = Static<typeof CommandResponse>;

/** A response visible to the user only. */
export const ephemeralResponse = (text: string): CommandResponse => ({ response_type: 'ephemeral', status: 200, text });
/** A response visible to the channel. */
export const channelResponse = (text: string): CommandResponse => ({
  ...ephemeralResponse(text),
  response_type: 'in_channel',
});
