import { expandText, referencesIn } from '../../variables/expand.ts';
import type { VariableValues } from '../../variables/variable.ts';
import { ConfigError } from '../config-error.ts';
import type { RawTree } from '../yaml/reference.ts';

const TRUNCATE = /^truncate\(\s*(\d+)\s*,\s*(\d+)\s*\)?$/;

/** @param call a function call as written, such as `truncate(0,8)`. @throws ConfigError */
export function applyFunction(call: string, value: RawTree, variables: VariableValues): RawTree {
  const truncate = TRUNCATE.exec(call);
  const name = truncate === null ? call : 'truncate';
  if (name !== 'truncate' && name !== 'expand_vars' && name !== 'posix_escape')
    throw new ConfigError(
      `no function matching \`${call}\`: check that the function name, arguments, and types are correct`,
    );
  if (typeof value !== 'string') throw failed(name, `invalid input type: ${name} can only be used with string inputs`);
  if (truncate !== null)
    return [...value].slice(Number(truncate[1]), Number(truncate[1]) + Number(truncate[2])).join('');
  return name === 'expand_vars' ? expandVars(value, variables) : shellEscaped(value);
}

const failed = (name: string, problem: string) => new ConfigError(`error in \`${name}\` function: ${problem}`);

function expandVars(text: string, variables: VariableValues): string {
  if (referencesIn(text).some((name) => variables.get(name)?.masked === true))
    throw failed('expand_vars', 'variable expansion error: masked variables cannot be expanded');
  return expandText(text, variables, { undefinedAs: 'kept' });
}

/** Escapes a text as one shell word. */
const shellEscaped = (text: string): string =>
  text === '' ? "''" : text.replaceAll(/[^\w\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
