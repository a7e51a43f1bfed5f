import { Type } from 'typebox';

const MAX_FILTERS = 20;

/** Filter by custom attributes. */
export const customAttributesFilter = Type.Record(Type.String(), Type.String(), {
  maxProperties: MAX_FILTERS,
  description: 'Only objects with all these custom attributes, `custom_attributes[key]=value`; for administrators.',
});
