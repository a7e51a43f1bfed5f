import { Type } from 'typebox';
import { optional, pagination } from '../../../http/http.schema.ts';

const fields = {
  name: Type.String({ description: 'Name, unique within the project.', examples: ['beta testers'] }),
  user_xids: Type.String({
    description: 'Comma-separated external user ids.',
  }),
};

export const UserListIid = Type.Object({
  iid: Type.Integer({ description: 'Number of the list within its project.' }),
});
export const listUserLists = Type.Object({
  search: Type.Optional(Type.String({ description: 'Only lists whose name contains this text.' })),
  ...pagination,
});
export const newUserList = Type.Object(fields);
export const changedUserList = optional(fields);
