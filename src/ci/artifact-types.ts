/** A type of job artifact. */
export interface ArtifactType {
  format: 'raw' | 'zip' | 'gzip';
  /** Default file name; null for the name that was sent. */
  filename: string | null;
  /** Maximum size in MB, if it is below the general limit. */
  maxMegabytes?: number;
}

/** All artifact types by name: the keywords of `artifacts:reports` and the server's own files. */
export const ARTIFACT_TYPES = {
  archive: { format: 'zip', filename: null },
  metadata: { format: 'gzip', filename: null },
  trace: { format: 'raw', filename: null },
  junit: { format: 'gzip', filename: 'junit.xml' },
  sast: { format: 'raw', filename: 'gl-sast-report.json' },
  dependency_scanning: { format: 'raw', filename: 'gl-dependency-scanning-report.json', maxMegabytes: 350 },
  container_scanning: { format: 'raw', filename: 'gl-container-scanning-report.json', maxMegabytes: 150 },
  dast: { format: 'raw', filename: 'gl-dast-report.json' },
  codequality: { format: 'raw', filename: 'gl-code-quality-report.json' },
  license_scanning: { format: 'raw', filename: 'gl-license-scanning-report.json', maxMegabytes: 100 },
  performance: { format: 'raw', filename: 'performance.json' },
  metrics: { format: 'gzip', filename: 'metrics.txt' },
  metrics_referee: { format: 'gzip', filename: null },
  network_referee: { format: 'gzip', filename: null },
  lsif: { format: 'zip', filename: 'lsif.json', maxMegabytes: 200 },
  scip: { format: 'zip', filename: 'index.scip' },
  dotenv: { format: 'gzip', filename: '.env' },
  cobertura: { format: 'gzip', filename: 'cobertura-coverage.xml' },
  jacoco: { format: 'gzip', filename: 'jacoco-coverage.xml' },
  terraform: { format: 'raw', filename: 'tfplan.json', maxMegabytes: 5 },
  accessibility: { format: 'raw', filename: 'gl-accessibility.json' },
  cluster_applications: { format: 'gzip', filename: 'gl-cluster-applications.json' },
  secret_detection: { format: 'raw', filename: 'gl-secret-detection-report.json' },
  requirements: { format: 'raw', filename: 'requirements.json' },
  requirements_v2: { format: 'raw', filename: 'requirements_v2.json' },
  coverage_fuzzing: { format: 'raw', filename: 'gl-coverage-fuzzing.json' },
  browser_performance: { format: 'raw', filename: 'browser-performance.json' },
  load_performance: { format: 'raw', filename: 'load-performance.json' },
  api_fuzzing: { format: 'raw', filename: 'gl-api-fuzzing-report.json' },
  cluster_image_scanning: { format: 'raw', filename: 'gl-cluster-image-scanning-report.json' },
  cyclonedx: { format: 'gzip', filename: 'gl-sbom.cdx.json', maxMegabytes: 1 },
  annotations: { format: 'gzip', filename: 'gl-annotations.json' },
  repository_xray: { format: 'gzip', filename: 'gl-repository-xray.json' },
} as const satisfies Record<string, ArtifactType>;
export type ArtifactTypeName = keyof typeof ARTIFACT_TYPES;

/** Types sent by runners; the server creates the others. */
export const SENT_ARTIFACT_TYPES = (Object.keys(ARTIFACT_TYPES) as ArtifactTypeName[]).filter(
  (name) => name !== 'metadata' && name !== 'trace',
);

/** Types of `artifacts:reports`. */
export const REPORT_ARTIFACT_TYPES = SENT_ARTIFACT_TYPES.filter((name) => name !== 'archive');
