import { Type } from 'typebox';
import { Filled, Instant, Nullable, optional } from '../../../http/http.schema.ts';

const newKeyFields = {
  key: Filled({ description: 'Public key in OpenSSH format, one line.' }),
  title: Filled({ maxLength: 255 }),
};

const expiresAt = Nullable(Instant({ description: 'When the key expires; never when absent.' }));

export const newPublicKey = Type.Object({ ...newKeyFields, expires_at: Type.Optional(expiresAt) });

export const newProjectKey = Type.Object({
  ...newKeyFields,
  ...optional({ can_push: Type.Boolean({ default: false }), expires_at: expiresAt }).properties,
});

export const keyChange = optional({ title: Filled({ maxLength: 255 }), can_push: Type.Boolean() });
