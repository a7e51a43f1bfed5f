import { type Static, Type } from 'typebox';
import { Enum } from '../../../http/http.schema.ts';

/** What a chat is answered. */
export const CommandResponse = Type.Object({
  response_type: Enum(['ephemeral', 'in_channel'], {
    description: 'Whether whoever gave the command sees it alone, or everybody in the channel.',
  }),
  status: Type.Integer({ description: 'The status of the answer once more.', examples: [200] }),
  text: Type.String({
    description: 'What is said, as Slack writes it.',
    examples: ['I closed an issue on your behalf.'],
  }),
  attachments: Type.Optional(
    Type.Array(
      Type.Object({
        fallback: Type.String({ description: 'The same for programs that show no attachments.' }),
        title: Type.String({ description: 'What it is about.', examples: ['Broken · #1'] }),
        title_link: Type.String({ description: 'Where that is.' }),
        text: Type.Optional(Type.String({ description: 'More about it.' })),
        color: Type.String({ description: 'Colour of its edge.', examples: ['#C95823'] }),
        fields: Type.Array(
          Type.Object({
            title: Type.String({ description: 'What is said.', examples: ['Assignee'] }),
            value: Type.String({ description: 'Of what is said.', examples: ['Ann'] }),
            short: Type.Boolean({ description: 'Whether another has room beside it.' }),
          }),
          { description: 'What else is known of it.' },
        ),
      }),
      { description: 'What it is about.' },
    ),
  ),
});
export type CommandResponse = Static<typeof CommandResponse>;

/** What whoever gave the command sees alone. */
export const ephemeralResponse = (text: string): CommandResponse => ({ response_type: 'ephemeral', status: 200, text });
/** What everybody in the channel sees. */
export const channelResponse = (text: string): CommandResponse => ({
  ...ephemeralResponse(text),
  response_type: 'in_channel',
});
