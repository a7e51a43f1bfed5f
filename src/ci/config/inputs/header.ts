import { readConfigFile } from '../ci-config.documents.ts';
import { ConfigError } from '../config-error.ts';
import { prepareFiles } from '../include/include.prepare.ts';
import type { Loading, Scope } from '../include/loading.ts';
import { isMap, newMap, type RawMap, type RawTree } from '../yaml/reference.ts';
import type { YamlLimits } from '../yaml/sizes.ts';
import { textOf } from '../yaml/text-of.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { INPUT_TYPES } from './input-types.ts';

const INPUT_KEYS = ['default', 'description', 'options', 'regex', 'type', 'rules'];
const RULE_KEYS = ['if', 'options', 'default'];
const COMPONENT_FIELDS = ['name', 'sha', 'version', 'reference'];
const MAX_OPTIONS = 50;
const fail = (problem: string) => new ConfigError(`header:${problem}`);

/** Content of a header: specifications of the inputs, and the used fields of the component. */
export interface Header {
  specs: RawMap;
  componentFields: string[];
}

/** Validates a header with its included inputs. @throws ConfigError in the platform's words */
export async function readHeader(header: RawMap, scope: Scope, loading: Loading): Promise<Header> {
  const others = Object.keys(header).filter((key) => key !== 'spec');
  if (others.length > 0) throw new ConfigError(`header config contains unknown keys: ${others.join(', ')}`);
  const spec = header.spec ?? newMap();
  if (!isMap(spec)) throw fail('spec config should be a hash');
  const unknown = Object.keys(spec).filter((key) => !['inputs', 'include', 'component'].includes(key));
  if (unknown.length > 0) throw fail(`spec config contains unknown keys: ${unknown.join(', ')}`);
  const own = spec.inputs ?? newMap();
  if (!isMap(own)) throw fail('spec:inputs config should be a hash');
  const specs = spec.include === undefined ? own : await withIncluded(own, spec.include, scope, loading);
  for (const [name, input] of Object.entries(specs)) checkInput(name, input);
  return { specs, componentFields: readComponent(spec.component ?? []) };
}

async function withIncluded(own: RawMap, include: RawTree, scope: Scope, loading: Loading): Promise<RawMap> {
  const kinds = ['local', 'remote', 'project'];
  const files = await prepareFiles(include, scope, loading, { kinds, listed: false });
  const included: RawMap[] = [];
  for (const file of files) {
    if (file.problem !== null) throw new ConfigError(file.problem);
    included.push(includedInputs(file.name, file.content, loading.limits));
  }
  const merged = newMap();
  const twice = new Set<string>();
  for (const inputs of [...included, own]) {
    for (const [name, input] of Object.entries(inputs)) {
      if (name in merged) twice.add(name);
      merged[name] = input;
    }
  }
  if (twice.size > 0)
    throw new ConfigError(
      `Duplicate input keys found: ${[...twice].join(', ')}. Input keys must be unique across all included files and inline specifications.`,
    );
  return merged;
}

function includedInputs(name: string, text: string, limits: YamlLimits): RawMap {
  let content: RawMap;
  try {
    ({ content } = readConfigFile(text, limits));
  } catch (error) {
    if (error instanceof YamlError) throw new ConfigError(`\`${name}\`: ${error.message}`);
    throw error;
  }
  const unknown = Object.keys(content).filter((key) => key !== 'inputs');
  if (unknown.length > 0)
    throw new ConfigError(`Header include file \`${name}\` contains unknown keys: ${unknown.join(', ')}`);
  const inputs = content.inputs ?? newMap();
  if (!isMap(inputs)) throw fail('spec:inputs config should be a hash');
  return inputs;
}

function checkInput(name: string, input: RawTree): void {
  const wrong = (problem: string) => fail(`spec:inputs:${name} ${problem}`);
  if (input === null) return;
  if (!isMap(input)) throw wrong('config should be a hash');
  const unknown = Object.keys(input).filter((key) => !INPUT_KEYS.includes(key));
  if (unknown.length > 0) throw wrong(`config contains unknown keys: ${unknown.join(', ')}`);
  const { description = null, regex = null, type = null, options = null, rules = null } = input;
  if (typeof description === 'object' && description !== null)
    throw wrong('input description must be an alphanumeric string');
  if (regex !== null && typeof regex !== 'string') throw wrong('input regex should be a string');
  if (type !== null && !INPUT_TYPES.includes(textOf(type))) throw wrong(`input type unknown value: ${textOf(type)}`);
  checkOptions(options, wrong);
  if (rules === null) return;
  if (!Array.isArray(rules)) throw wrong('input rules should be an array');
  for (const rule of rules) {
    if (!isMap(rule)) throw wrong('input rules should be an array of hashes');
    const others = Object.keys(rule).filter((key) => !RULE_KEYS.includes(key));
    if (others.length > 0)
      throw fail(`spec:inputs:${name}:rules:rule config contains unknown keys: ${others.join(', ')}`);
    checkOptions(rule.options ?? null, wrong);
  }
}

function checkOptions(options: RawTree, wrong: (problem: string) => ConfigError): void {
  if (options === null) return;
  if (!Array.isArray(options)) throw wrong('input options should be an array');
  if (options.length > MAX_OPTIONS) throw wrong(`config cannot define more than ${MAX_OPTIONS} options`);
}

function readComponent(component: RawTree): string[] {
  if (!Array.isArray(component) || !component.every((field) => typeof field === 'string'))
    throw fail('spec:component config should be an array of strings');
  const fields = component as string[];
  const unknown = fields.filter((field) => !COMPONENT_FIELDS.includes(field));
  if (unknown.length > 0) throw fail(`spec:component config contains unknown values: ${unknown.join(', ')}`);
  return fields;
}
