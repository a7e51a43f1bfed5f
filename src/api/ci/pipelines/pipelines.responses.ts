import { Type } from 'typebox';
import { Enum } from '../../../http/http.schema.ts';

/** A variable given at the start of a pipeline. */
export const PipelineVariable = Type.Object({
  variable_type: Enum(['env_var', 'file']),
  key: Type.String(),
  value: Type.String(),
  raw: Type.Boolean(),
});
