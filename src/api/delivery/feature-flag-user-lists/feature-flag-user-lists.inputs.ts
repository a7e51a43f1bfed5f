import { Type } from 'typebox';
import { optional, pagination } from '../../../http/http.schema.ts';

const fields = {
  name: Type.String({ description: 'Name, unique in the project.', examples: ['beta testers'] }),
  user_xids: Type.String({
    description: 'Ids of users, as the program that asks for flags knows them, with commas between them.',
  }),
};

export const UserListIid = Type.Object({ iid: Type.Integer({ description: 'Number of the list in its project.' }) });
export const listUserLists = Type.Object({
  search: Type.Optional(Type.String({ description: 'Only those whose name contains it.' })),
  ...pagination,
});
export const newUserList = Type.Object(fields);
export const changedUserList = optional(fields);
