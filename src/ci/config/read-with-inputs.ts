import { readConfigFile } from './ci-config.documents.ts';
import { ConfigError } from './config-error.ts';
import type { Loading, Scope } from './include/loading.ts';
import { readHeader } from './inputs/header.ts';
import { inputValues } from './inputs/input-values.ts';
import { interpolate } from './interpolation/interpolate.ts';
import { KEYS_WITHOUT_TEXT, type RawMap } from './yaml/reference.ts';

/** Maximum number of reported input errors. */
const MAX_ERRORS = 3;

interface Around {
  /** Input values for the file. */
  inputs: Readonly<Record<string, unknown>>;
  /** Values of `$[[ component.* ]]`. */
  component: Readonly<Record<string, string>>;
  scope: Scope;
  loading: Loading;
}

/**
 * Parses a file and interpolates its inputs, which are specified in its header (`spec:`).
 * @throws ConfigError, YamlError
 */
export async function readWithInputs(text: string, { inputs, component, scope, loading }: Around): Promise<RawMap> {
  const { header, content } = readConfigFile(text, loading.limits);
  for (const key of KEYS_WITHOUT_TEXT.get(content) ?? []) loading.keysWithoutText.add(key);
  if (header === null) {
    if (Object.keys(inputs).length > 0)
      throw new ConfigError('Given inputs not defined in the `spec` section of the included configuration file');
    return content;
  }
  const { specs, componentFields } = await readHeader(header, scope, loading);
  const { values, errors } = inputValues(specs, inputs);
  if (errors.length > 0) throw new ConfigError(errors.slice(0, MAX_ERRORS).join(', '));
  const fields = Object.entries(component).filter(([field]) => componentFields.includes(field));
  const contexts = { inputs: values, component: new Map(fields) };
  return interpolate(content, contexts, scope.variables);
}
