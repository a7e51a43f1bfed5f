import { type Static, Type } from 'typebox';

/** A value that administrators attach to a user, group or project (part 1, section 4.9). */
export const CustomAttribute = Type.Object(
  {
    key: Type.String({ description: 'Name of the attribute.' }),
    value: Type.String({ description: 'Its value.' }),
  },
  { title: 'CustomAttribute' },
);

export type CustomAttribute = Static<typeof CustomAttribute>;

const MAX_FILTERS = 20;

/** Filter of a list by attributes. */
export const customAttributesFilter = Type.Record(Type.String(), Type.String(), {
  maxProperties: MAX_FILTERS,
  description: 'For administrators: only those with all these values, `custom_attributes[key]=value`.',
});
