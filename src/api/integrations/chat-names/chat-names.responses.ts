import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

/** An account of a chat that is linked to a user. */
export const ChatName = Type.Object({
  id: Type.Integer(),
  integration_id: Type.Integer({ description: 'Id of the integration for which it counts.' }),
  team_id: Type.String({ description: 'Id of the team of the chat.', examples: ['T0001'] }),
  team_domain: Nullable(
    Type.String({ description: 'Name of the team, as the chat called it.', examples: ['example'] }),
  ),
  chat_id: Type.String({ description: 'Id of the account in the chat.', examples: ['U2147483697'] }),
  chat_name: Nullable(Type.String({ description: 'Name of the account, as the chat called it.', examples: ['ann'] })),
  created_at: Instant(),
  last_used_at: Nullable(Instant({ description: 'When a command last came from there.' })),
});
