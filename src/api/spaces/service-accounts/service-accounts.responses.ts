import { Type } from 'typebox';

export const ServiceAccount = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  name: Type.String(),
  email: Type.String(),
});
