import { Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { VARIABLE_TYPES } from './variables.inputs.ts';

const fields = {
  variable_type: Enum(VARIABLE_TYPES),
  key: Type.String(),
  value: Nullable(Type.String({ description: 'Value of the variable; null if it is hidden.' })),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  description: Nullable(Type.String()),
};

/** A variable of a project or a group. */
export const CiVariable = Type.Object({ ...fields, hidden: Type.Boolean(), environment_scope: Type.String() });

/** A variable of the instance. */
export const InstanceCiVariable = Type.Object(fields);
