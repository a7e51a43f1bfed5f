import { sameAs } from './render-template.ts';

interface Check {
  about: string;
  job: string;
  stage: string;
  image: string;
  variables?: Readonly<Record<string, string>>;
  script: readonly string[];
  report: string;
  file: string;
  off: string;
  /** The variable that must say what is looked at. */
  needs?: string;
  service?: string;
}

const check = ({
  about,
  job,
  stage,
  image,
  variables,
  script,
  report,
  file,
  off,
  needs,
  service,
}: Check): string => `# ${about}
${job}:
  stage: ${stage}
  image: ${image}
  needs: []
  allow_failure: true
${service === undefined ? '' : `  services: [${service}]\n`}${
  variables === undefined
    ? ''
    : `  variables:\n${Object.entries(variables)
        .map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`)
        .join('')}`
}  script:
${script.map((line) => `    - ${JSON.stringify(line)}\n`).join('')}  artifacts:
    reports:
      ${report}: ${file}
    paths: [${file}]
    expire_in: 1 week
  rules:
    - if: $${off} == "true" || $${off} == "1"
      when: never
    - if: $CI_COMMIT_BRANCH${needs === undefined ? '' : ` && $${needs}`}
`;

const DOCKER = { image: 'docker:27', service: 'docker:27-dind' };

const BROWSER = check({
  ...DOCKER,
  about: 'How fast a page is in a browser: BROWSER_PERFORMANCE_URL says which.',
  job: 'browser_performance',
  stage: 'performance',
  variables: { DOCKER_TLS_CERTDIR: '', SITESPEED_IMAGE: 'sitespeedio/sitespeed.io', SITESPEED_VERSION: 'latest' },
  script: [
    'mkdir -p sitespeed-results',
    'docker run --rm --shm-size=1g -v "$PWD:/sitespeed.io" "$SITESPEED_IMAGE:$SITESPEED_VERSION" --outputFolder sitespeed-results "$BROWSER_PERFORMANCE_URL"',
    'cp "$(find sitespeed-results -name performance.json | head -n 1)" browser-performance.json || echo [] > browser-performance.json',
  ],
  report: 'browser_performance',
  file: 'browser-performance.json',
  off: 'BROWSER_PERFORMANCE_DISABLED',
  needs: 'BROWSER_PERFORMANCE_URL',
});

const LOAD = check({
  ...DOCKER,
  about: 'How an application bears load: K6_TEST_FILE is a test of k6.',
  job: 'load_performance',
  stage: 'performance',
  variables: { DOCKER_TLS_CERTDIR: '', K6_IMAGE: 'grafana/k6', K6_VERSION: 'latest', K6_OPTIONS: '' },
  script: [
    'docker run --rm -v "$PWD:/k6" -w /k6 "$K6_IMAGE:$K6_VERSION" run "$K6_TEST_FILE" --summary-export=load-performance.json $K6_OPTIONS',
  ],
  report: 'load_performance',
  file: 'load-performance.json',
  off: 'LOAD_PERFORMANCE_DISABLED',
  needs: 'K6_TEST_FILE',
});

const withStage = (job: string): string => `stages: [build, test, deploy, performance]\n\n${job}`;

/** What looks at quality, speed and access, by the name that `include:template` takes. */
export const VERIFY: Readonly<Record<string, string>> = {
  'Jobs/Code-Quality': check({
    ...DOCKER,
    about: 'The quality of the source, looked at by Code Climate.',
    job: 'code_quality',
    stage: 'test',
    variables: { DOCKER_TLS_CERTDIR: '', CODE_QUALITY_IMAGE: 'codeclimate/codeclimate' },
    script: [
      'docker run --rm -e CODECLIMATE_CODE="$PWD" -v "$PWD:/code" -v /var/run/docker.sock:/var/run/docker.sock -v /tmp/cc:/tmp/cc "$CODE_QUALITY_IMAGE" analyze -f json > gl-code-quality-report.json',
    ],
    report: 'codequality',
    file: 'gl-code-quality-report.json',
    off: 'CODE_QUALITY_DISABLED',
  }),
  'Code-Quality': sameAs('Jobs/Code-Quality'),
  'Jobs/Browser-Performance-Testing': BROWSER,
  'Jobs/Browser-Performance-Testing.latest': BROWSER,
  'Jobs/Load-Performance-Testing': LOAD,
  'Verify/Browser-Performance': withStage(BROWSER.replaceAll('BROWSER_PERFORMANCE_URL', 'URL')),
  'Verify/Browser-Performance.latest': sameAs('Verify/Browser-Performance'),
  'Verify/Load-Performance-Testing': withStage(LOAD),
  'Verify/Accessibility': `stages: [build, test, deploy, accessibility]\n\n${check({
    about: 'Whether everybody can use pages: a11y_urls says which, with spaces between.',
    job: 'a11y',
    stage: 'accessibility',
    image: 'node:lts',
    script: [
      'apt-get update -qq && apt-get install -qq -y chromium',
      'PUPPETEER_SKIP_DOWNLOAD=true npm install --no-save pa11y-ci',
      `printf '{"defaults":{"chromeLaunchConfig":{"executablePath":"/usr/bin/chromium","args":["--no-sandbox"]}}}' > .pa11yci`,
      'npx pa11y-ci --json $a11y_urls > gl-accessibility.json',
    ],
    report: 'accessibility',
    file: 'gl-accessibility.json',
    off: 'ACCESSIBILITY_DISABLED',
    needs: 'a11y_urls',
  })}`,
  'Verify/FailFast': `# The specs that belong to changed files, before all others: for projects of Ruby with RSpec.
rspec-rails-modified-path-specs:
  stage: .pre
  image: ruby:3.3
  rules:
    - if: $CI_MERGE_REQUEST_EVENT_TYPE == "merge_train" || $CI_MERGE_REQUEST_EVENT_TYPE == "merged_result"
      changes: ["**/*.rb"]
  script:
    - gem install test_file_finder
    - specs=$(git diff --name-only "$CI_MERGE_REQUEST_DIFF_BASE_SHA..HEAD" | xargs tff)
    - if [ -n "$specs" ]; then bundle install; bundle exec rspec -- $specs; else echo "No spec belongs to what was changed."; fi
`,
};
