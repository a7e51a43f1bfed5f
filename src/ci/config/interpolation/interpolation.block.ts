import type { VariableValues } from '../../variables/variable.ts';
import { ConfigError } from '../config-error.ts';
import type { RawTree } from '../yaml/reference.ts';
import type { Contexts } from './contexts.ts';
import { applyFunction } from './functions.ts';

const MAX_FUNCTIONS = 3;
const MAX_BYTES = 1024;

/** @param inside the text between `$[[` and `]]`. @throws ConfigError */
export function evaluateBlock(inside: string, contexts: Contexts, variables: VariableValues): RawTree {
  const [access = '', ...functions] = inside.split('|').map((part) => part.trim());
  let value = valueAt(access, contexts);
  if (functions.length > MAX_FUNCTIONS) throw new ConfigError('too many functions in interpolation block');
  for (const call of functions) value = applyFunction(call, value, variables);
  return value;
}

function valueAt(access: string, contexts: Contexts): RawTree {
  if (Buffer.byteLength(access) > MAX_BYTES) throw new ConfigError('maximum interpolation expression size exceeded');
  const dot = access.indexOf('.');
  if (dot === -1) throw new ConfigError('invalid pattern used for interpolation. valid pattern is $[[ inputs.input ]]');
  const context = access.slice(0, dot);
  const name = access.slice(dot + 1);
  if (!Object.hasOwn(contexts, context)) throw unknown(context, access);
  const value = contexts[context]!.get(name);
  if (value === undefined) throw unknown(name, access);
  return value;
}

const unknown = (name: string, access: string) =>
  new ConfigError(`unknown interpolation provided: \`${name}\` in \`${access}\``);
