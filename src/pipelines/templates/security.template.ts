import { sameAs, yamlList } from './render-template.ts';

/** A scan of an analyzer, which leaves a report. */
interface Scan {
  about: string;
  job: string;
  /** Name of the analyzer's image, and the variable that says which version. */
  analyzer: string;
  version: readonly [name: string, value: string];
  script: readonly string[];
  report: string;
  file: string;
  /** The variable that switches it off. */
  off: string;
  stage?: string;
  /** It runs only where there are such files. */
  exists?: readonly string[];
  variables?: Readonly<Record<string, string>>;
  /** What must hold beside. */
  on?: string;
}

const PREFIX = 'SECURE_ANALYZERS_PREFIX: $CI_TEMPLATE_REGISTRY_HOST/security-products';
/** In pipelines of merge requests, and then not in those of their branches. */
export const IN_REQUESTS = '($AST_ENABLE_MR_PIPELINES == "true" || $AST_ENABLE_MR_PIPELINES == null)';
const stagesWith = (stage: string): string =>
  stage === 'test' ? '' : `\n${yamlList('stages', ['build', 'test', 'deploy', stage])}`;

function jobOf(
  { job, analyzer, version, script, report, file, off, on, stage = 'test', exists, variables }: Scan,
  inRequests: boolean,
): string {
  const where = exists === undefined ? '' : yamlList('exists', exists, '      ');
  const also = on === undefined ? '' : ` && ${on}`;
  const requests = inRequests ? IN_REQUESTS : '$AST_ENABLE_MR_PIPELINES == "true"';
  const own = Object.entries(variables ?? {}).map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`);
  return `${job}:
  stage: ${stage}
  image: $SECURE_ANALYZERS_PREFIX/${analyzer}:$${version[0]}
  needs: []
  allow_failure: true
${own.length > 0 ? `  variables:\n${own.join('')}` : ''}${yamlList('script', script, '  ')}  artifacts:
    access: developer
    reports:
      ${report}: ${file}
    paths: [${file}]
  rules:
    - if: $${off} == "true" || $${off} == "1"
      when: never
    - if: ${requests} && $CI_PIPELINE_SOURCE == "merge_request_event"${also}
${where}    - if: ${requests} && $CI_OPEN_MERGE_REQUESTS
      when: never
    - if: $CI_COMMIT_BRANCH${also}
${where}`;
}

function scans(about: string, all: readonly Scan[], inRequests: boolean): string {
  const versions = new Map(all.map(({ version }) => version));
  const variables = [...versions].map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  const stage = all[0]!.stage ?? 'test';
  return `# ${about}${inRequests ? ' In pipelines of merge requests as well.' : ''}\nvariables:\n  ${PREFIX}\n${variables.join('')}${stagesWith(stage)}\n${all.map((scan) => jobOf(scan, inRequests)).join('\n')}`;
}

const run = ['/analyzer run'];
const sast = (job: string, analyzer: string, exists?: readonly string[]): Scan => ({
  about: '',
  job,
  analyzer,
  version: ['SAST_ANALYZER_IMAGE_TAG', '6'],
  script: run,
  report: 'sast',
  file: 'gl-sast-report.json',
  off: 'SAST_DISABLED',
  ...(exists === undefined ? {} : { exists }),
});
const gemnasium = (job: string, analyzer: string, exists: readonly string[]): Scan => ({
  about: '',
  job,
  analyzer,
  version: ['DS_MAJOR_VERSION', '6'],
  script: run,
  report: 'dependency_scanning',
  file: 'gl-dependency-scanning-report.json',
  off: 'DEPENDENCY_SCANNING_DISABLED',
  exists,
});
const one = (about: string, scan: Omit<Scan, 'about'>): { about: string; scans: readonly Scan[] } => ({
  about,
  scans: [{ ...scan, about }],
});

const SOURCES = [
  'c',
  'cc',
  'cpp',
  'cs',
  'go',
  'h',
  'hpp',
  'html',
  'java',
  'js',
  'jsx',
  'kt',
  'm',
  'php',
  'py',
  'rb',
  'scala',
  'swift',
  'ts',
  'tsx',
];

const TOPICS: Readonly<Record<string, { about: string; scans: readonly Scan[] }>> = {
  'Jobs/SAST': {
    about: 'The source is looked through for weaknesses.',
    scans: [
      sast(
        'semgrep-sast',
        'semgrep',
        SOURCES.map((ending) => `**/*.${ending}`),
      ),
      { ...sast('kubesec-sast', 'kubesec'), on: '$SCAN_KUBERNETES_MANIFESTS == "true"' },
      sast('pmd-apex-sast', 'pmd-apex', ['**/*.cls']),
      sast('sobelow-sast', 'sobelow', ['**/mix.exs']),
      sast('spotbugs-sast', 'spotbugs', ['**/*.groovy']),
    ],
  },
  'Jobs/SAST-IaC': {
    about: 'Descriptions of infrastructure are looked through for weaknesses.',
    scans: [{ ...sast('kics-iac-sast', 'kics', ['**/*.tf', '**/*.yml', '**/*.yaml', '**/Dockerfile']) }],
  },
  'Jobs/Secret-Detection': one('Commits are looked through for passwords, keys and tokens.', {
    job: 'secret_detection',
    analyzer: 'secrets',
    version: ['SECRETS_ANALYZER_VERSION', '7'],
    script: run,
    report: 'secret_detection',
    file: 'gl-secret-detection-report.json',
    off: 'SECRET_DETECTION_DISABLED',
    variables: { GIT_DEPTH: '50' },
  }),
  'Jobs/Dependency-Scanning': {
    about: 'Dependencies are compared with what is known of their weaknesses.',
    scans: [
      gemnasium('gemnasium-dependency_scanning', 'gemnasium', [
        '**/composer.lock',
        '**/conan.lock',
        '**/Gemfile.lock',
        '**/go.sum',
        '**/package-lock.json',
        '**/packages.lock.json',
        '**/pnpm-lock.yaml',
        '**/yarn.lock',
      ]),
      gemnasium('gemnasium-maven-dependency_scanning', 'gemnasium-maven', [
        '**/build.gradle',
        '**/build.gradle.kts',
        '**/build.sbt',
        '**/pom.xml',
      ]),
      gemnasium('gemnasium-python-dependency_scanning', 'gemnasium-python', [
        '**/Pipfile',
        '**/poetry.lock',
        '**/requirements.txt',
        '**/setup.py',
      ]),
    ],
  },
  'Jobs/Container-Scanning': one('The image of the pipeline is looked through for packages with known weaknesses.', {
    job: 'container_scanning',
    analyzer: 'container-scanning',
    version: ['CS_ANALYZER_VERSION', '8'],
    script: ['gtcs scan'],
    report: 'container_scanning',
    file: 'gl-container-scanning-report.json',
    off: 'CONTAINER_SCANNING_DISABLED',
    variables: { GIT_STRATEGY: 'none' },
  }),
  'Security/Cluster-Image-Scanning': one('Images that a cluster runs are looked through.', {
    job: 'cluster_image_scanning',
    analyzer: 'cluster-image-scanning',
    version: ['CIS_ANALYZER_VERSION', '0'],
    script: run,
    report: 'cluster_image_scanning',
    file: 'gl-cluster-image-scanning-report.json',
    off: 'CLUSTER_IMAGE_SCANNING_DISABLED',
  }),
  'Security/DAST': one('A site that runs, at DAST_TARGET_URL, is looked through for weaknesses.', {
    job: 'dast',
    analyzer: 'dast',
    version: ['DAST_VERSION', '6'],
    script: ['/analyze'],
    report: 'dast',
    file: 'gl-dast-report.json',
    off: 'DAST_DISABLED',
    stage: 'dast',
    variables: { GIT_STRATEGY: 'none' },
  }),
  'Security/DAST-API': one('An API that runs is looked through for weaknesses.', {
    job: 'dast_api',
    analyzer: 'api-security',
    version: ['DAST_API_VERSION', '6'],
    script: ['/peach/analyzer-dast-api'],
    report: 'dast',
    file: 'gl-dast-api-report.json',
    off: 'DAST_API_DISABLED',
    stage: 'dast',
  }),
  'Security/API-Security': one('An API that runs is looked through for weaknesses.', {
    job: 'api_security',
    analyzer: 'api-security',
    version: ['APISEC_VERSION', '6'],
    script: ['/peach/analyzer-dast-api'],
    report: 'dast',
    file: 'gl-api-security-report.json',
    off: 'APISEC_DISABLED',
    stage: 'dast',
  }),
  'Security/API-Fuzzing': one('An API that runs is sent what nobody expects.', {
    job: 'apifuzzer_fuzz',
    analyzer: 'api-security',
    version: ['FUZZAPI_VERSION', '6'],
    script: ['/peach/analyzer-api-fuzzing'],
    report: 'api_fuzzing',
    file: 'gl-api-fuzzing-report.json',
    off: 'API_FUZZING_DISABLED',
    stage: 'fuzz',
  }),
};

const COVERAGE_FUZZING = `# What a fuzzing engine does with a target: extend .fuzz_base, build the target, then run ./gitlab-cov-fuzz run -- ./target.
${yamlList('stages', ['build', 'test', 'deploy', 'fuzz'])}
.fuzz_base:
  stage: fuzz
  allow_failure: true
  variables:
    COVFUZZ_VERSION: v3
    COVFUZZ_URL_PREFIX: https://gitlab.com/gitlab-org/security-products/analyzers/gitlab-cov-fuzz/-/raw
  before_script:
    - if command -v wget > /dev/null; then wget -O gitlab-cov-fuzz "$COVFUZZ_URL_PREFIX/$COVFUZZ_VERSION/binaries/gitlab-cov-fuzz_Linux_x86_64"; else curl -fLo gitlab-cov-fuzz "$COVFUZZ_URL_PREFIX/$COVFUZZ_VERSION/binaries/gitlab-cov-fuzz_Linux_x86_64"; fi
    - chmod +x gitlab-cov-fuzz
  artifacts:
    when: always
    paths: [corpus, crashes, gl-coverage-fuzzing-report.json]
    reports:
      coverage_fuzzing: gl-coverage-fuzzing-report.json
  rules:
    - if: $COVFUZZ_DISABLED == "true" || $COVFUZZ_DISABLED == "1"
      when: never
    - if: $CI_COMMIT_BRANCH
`;

/** Scans of sources, dependencies, images and sites, by the name that `include:template` takes. */
export const SECURITY: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(TOPICS).flatMap(([name, { about, scans: all }]) => [
      [name, scans(about, all, false)],
      [`${name}.latest`, scans(about, all, true)],
    ]),
  ),
  ...Object.fromEntries(
    [
      'SAST',
      'SAST-IaC',
      'SAST-IaC.latest',
      'Secret-Detection',
      'Dependency-Scanning',
      'Container-Scanning',
      'Container-Scanning.latest',
    ].map((name) => [`Security/${name}`, sameAs(`Jobs/${name}`)]),
  ),
  'Jobs/Dependency-Scanning.v2': sameAs('Jobs/Dependency-Scanning.latest'),
  'Security/Coverage-Fuzzing': COVERAGE_FUZZING,
  'Security/Coverage-Fuzzing.latest': COVERAGE_FUZZING,
};
