import { ARTIFACT_TYPES } from '../artifact-types.ts';
import type { Tree } from '../config/loaded.ts';
import type { Artifacts } from '../pipeline-config.ts';
import { isString, oneOf, STRING, STRINGS_OR_STRING } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { entry, field, keys, type Reader, required } from './reader.ts';

/** Artifact types that are not reports, and one that became part of `coverage_report`. */
const NO_REPORTS = ['archive', 'metadata', 'trace', 'metrics_referee', 'network_referee', 'cobertura', 'jacoco'];
const REPORTS = Object.keys(ARTIFACT_TYPES).filter((type) => !NO_REPORTS.includes(type));

const FORMATS = ['cobertura', 'jacoco'] as const;

type CoverageReport = NonNullable<Artifacts['coverageReport']>;

const coverageReport: Reader<CoverageReport> = entry(
  [
    keys('coverage_format', 'path'),
    required('coverage_format', STRING, oneOf(FORMATS, `must be one of supported formats: ${FORMATS.join(', ')}.`)),
    required('path', STRING),
  ],
  (value) => ({
    format: own(value, 'coverage_format') as CoverageReport['format'],
    path: own(value, 'path') as string,
  }),
);

const paths = (value: Tree) => (isString(value) ? [value] : (value as string[]));

/** `artifacts:reports`. */
export const reports: Reader<Pick<Artifacts, 'reports' | 'coverageReport'>> = entry(
  [keys(...REPORTS, 'coverage_report'), ...REPORTS.map((report) => field(report, STRINGS_OR_STRING))],
  (value, at) => ({
    reports: Object.fromEntries(
      Object.entries(value)
        .filter(([key, each]) => key !== 'coverage_report' && each !== null)
        .map(([key, each]) => [key, paths(each)]),
    ),
    coverageReport: at.read(value, 'coverage_report', coverageReport),
  }),
);
