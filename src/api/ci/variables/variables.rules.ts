import { type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import type { CiVariable } from '../../../db/tables/ci-variables.table.ts';
import type { VariableOwner } from './variable-owner.ts';

/** Final state of a variable, for validation. */
export interface VariableInput
  extends Pick<CiVariable, 'key' | 'variable_type' | 'masked' | 'raw' | 'environment_scope' | 'description'> {
  value: string;
}

const MAX_TEXT = 255;
const MAX_VALUE = { env_var: 10_000, file: 50_000 } as const;
/** Files of projects and groups may be longer, for bundles of certificates. */
const MAX_FILE = 524_288;

/** Values that can be masked in logs: without spaces, and long enough not to mask unrelated text. */
const MASKABLE = /^[a-zA-Z0-9_+=/@:.~-]{8,}$/;
const MASKABLE_RAW = /^\S{8,}$/;

const tooLong = (maxLength: number) => `is too long (maximum is ${maxLength} characters)`;

/** Returns the errors of a key, in the platform's words. */
export function keyErrors(key: string): string[] {
  if (key === '') return ["can't be blank", "can contain only letters, digits and '_'."];
  return [
    ...(key.length > MAX_TEXT ? [tooLong(MAX_TEXT)] : []),
    ...(/^\w+$/.test(key) ? [] : ["can contain only letters, digits and '_'."]),
  ];
}

function valueErrors({ value, variable_type, masked, raw }: VariableInput, kind: VariableOwner['kind']): string[] {
  const maxLength = variable_type === 'file' && kind !== 'instance' ? MAX_FILE : MAX_VALUE[variable_type];
  return [
    ...(value.length > maxLength
      ? [`The value of the provided variable exceeds the ${maxLength} character limit`]
      : []),
    ...(masked === 1 && !(raw === 1 ? MASKABLE_RAW : MASKABLE).test(value) ? ['is invalid'] : []),
  ];
}

function scopeErrors(scope: string): string[] {
  const words = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces";
  if (scope === '') return ["can't be blank", words];
  return [
    ...(scope.length > MAX_TEXT ? [tooLong(MAX_TEXT)] : []),
    ...(/^[a-zA-Z0-9_/${}. \-*]+$/.test(scope) ? [] : [words]),
  ];
}

/** Validates the final state of a variable. @throws ApiError 400 */
export function checkVariable(input: VariableInput, kind: VariableOwner['kind']): void {
  const fieldErrors = {
    key: keyErrors(input.key),
    value: valueErrors(input, kind),
    environment_scope: scopeErrors(input.environment_scope),
    description: (input.description ?? '').length > MAX_TEXT ? [tooLong(MAX_TEXT)] : [],
  };
  const errors: FieldErrors = Object.fromEntries(Object.entries(fieldErrors).filter(([, texts]) => texts.length > 0));
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/**
 * Refuses to hide or unhide an existing variable.
 * @param request masking and hiding in the request
 * @throws ApiError 400
 */
export function checkHiding(
  row: Pick<CiVariable, 'hidden'>,
  request: { masked?: boolean | undefined; masked_and_hidden?: boolean | undefined },
): void {
  if (row.hidden === 1 && (request.masked === false || request.masked_and_hidden === false)) {
    throw invalidModel({ base: ['The visibility setting cannot be changed for masked and hidden variables.'] });
  }
  if (row.hidden === 0 && request.masked_and_hidden === true) {
    throw invalidModel({ base: ['Only new variables can be set as masked and hidden.'] });
  }
}
