import { type Static, Type } from 'typebox';

/** A custom attribute of a user, group or project (part 1, section 4.9). */
export const CustomAttribute = Type.Object(
  {
    key: Type.String({ description: 'Name of the attribute.' }),
    value: Type.String({ description: 'Value of the attribute.' }),
  },
  { title: 'CustomAttribute' },
);
export type CustomAttribute = Static<typeof CustomAttribute>;
