import { Type } from 'typebox';

const MAX_FILTERS = 20;

/** Filter of a list by attributes. */
export const customAttributesFilter = Type.Record(Type.String(), Type.String(), {
  maxProperties: MAX_FILTERS,
  description: 'For administrators: only those with all these values, `custom_attributes[key]=value`.',
});
