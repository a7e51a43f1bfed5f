import { isMap, type RawMap, type RawTree } from '../../../ci/config/yaml/reference.ts';
import { parseSemVer } from '../../../packages/semver.ts';

const NAME = /^[a-zA-Z0-9]+(?:[._-][a-zA-Z0-9]+)*$/;
const MAX_NAME = 255;

/** Fields of Chart.yaml in an index, by type. */
const TEXTS = ['apiVersion', 'appVersion', 'condition', 'description', 'home', 'icon', 'kubeVersion', 'tags', 'type'];
const LISTS = ['keywords', 'sources'];
const MAINTAINER = ['name', 'email', 'url'];
const DEPENDENCY = ['name', 'version', 'repository', 'condition', 'alias'];

/** A chart in an index; fields have the types that Helm expects. */
export interface Chart extends Record<string, ChartValue> {
  name: string;
  version: string;
}
export type ChartValue = string | boolean | ChartValue[] | { [key: string]: ChartValue };

/** An invalid Chart.yaml. */
export class ChartError extends Error {
  override name = 'ChartError';
}

/** Whether a name of a chart or channel is valid. */
export const isChartName = (text: string): boolean => text.length <= MAX_NAME && NAME.test(text);

export const isChartVersion = (text: string): boolean => parseSemVer(text.replace(/^v/, '')) !== null;

const bad = (field: string, what: string) => new ChartError(`Chart.yaml: ${field} is not ${what}`);

function text(field: string, value: RawTree): string {
  if (typeof value !== 'string') throw bad(field, 'a text');
  return value;
}

function list(field: string, value: RawTree): RawTree[] {
  if (!Array.isArray(value)) throw bad(field, 'a list');
  return value;
}

function flag(field: string, value: RawTree): boolean {
  if (value !== 'true' && value !== 'false') throw bad(field, 'true or false');
  return value === 'true';
}

function map(field: string, value: RawTree): RawMap {
  if (!isMap(value)) throw bad(field, 'a map');
  return value;
}

const texts = (field: string, value: RawTree): string[] => list(field, value).map((each) => text(field, each));

/** Selects fields of a map, as strings. */
function pick(field: string, from: RawMap, names: readonly string[]): Record<string, ChartValue> {
  const present = names.filter((name) => from[name] !== undefined && from[name] !== null);
  return Object.fromEntries(present.map((name) => [name, text(`${field}${name}`, from[name]!)]));
}

function dependency(value: RawTree): Record<string, ChartValue> {
  const from = map('dependencies', value);
  return {
    ...pick('dependencies.', from, DEPENDENCY),
    ...(from.tags == null ? {} : { tags: texts('dependencies.tags', from.tags) }),
    ...(from.enabled == null ? {} : { enabled: flag('dependencies.enabled', from.enabled) }),
  };
}

/**
 * Validates a Chart.yaml. A field with an unexpected type would make the whole index unreadable for Helm.
 * @param tree parsed with strings for all scalars
 * @throws ChartError
 */
export function readChart(tree: RawTree | undefined): Chart {
  const from = map('it', tree ?? null);
  const { name, version } = from;
  if (typeof name !== 'string' || !isChartName(name)) throw new ChartError('Chart.yaml: name is invalid');
  if (typeof version !== 'string' || !isChartVersion(version)) {
    throw new ChartError('Chart.yaml: version should follow SemVer: https://semver.org');
  }
  const chart: Chart = { name, version, ...pick('', from, TEXTS) };
  for (const field of LISTS) if (from[field] != null) chart[field] = texts(field, from[field]);
  if (from.deprecated != null) chart.deprecated = flag('deprecated', from.deprecated);
  if (from.maintainers != null) {
    chart.maintainers = list('maintainers', from.maintainers).map((each) =>
      pick('maintainers.', map('maintainers', each), MAINTAINER),
    );
  }
  if (from.dependencies != null) chart.dependencies = list('dependencies', from.dependencies).map(dependency);
  if (from.annotations != null) {
    const annotations = map('annotations', from.annotations);
    chart.annotations = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [key, text('annotations', value ?? '')]),
    );
  }
  return chart;
}
