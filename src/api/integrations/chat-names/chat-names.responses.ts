import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

/** A chat account linked to a user. */
export const ChatName = Type.Object({
  id: Type.Integer(),
  integration_id: Type.Integer({ description: 'Id of the integration that it belongs to.' }),
  team_id: Type.String({ description: 'Id of the chat team.', examples: ['T0001'] }),
  team_domain: Nullable(Type.String({ description: 'Name of the chat team.', examples: ['example'] })),
  chat_id: Type.String({ description: 'Id of the chat account.', examples: ['U2147483697'] }),
  chat_name: Nullable(Type.String({ description: 'Name of the chat account.', examples: ['ann'] })),
  created_at: Instant(),
  last_used_at: Nullable(Instant({ description: 'When a command was last run from the account.' })),
});
