import { sameAs, yamlList } from './render-template.ts';
import { IN_REQUESTS } from './security.template.ts';

const PREFIX = '$CI_TEMPLATE_REGISTRY_HOST/security-products';
const DAST_STAGES = yamlList('stages', ['build', 'test', 'deploy', 'dast']);

/** A scan that is started by hand for one site or API. */
const onDemand = (what: string, variable: string, image: string, script: string, file: string): string =>
  `# One scan of ${what}, started by hand.
${DAST_STAGES}
variables:
  SECURE_ANALYZERS_PREFIX: ${PREFIX}
  ${variable}: "6"

dast:
  stage: dast
  image: $SECURE_ANALYZERS_PREFIX/${image}:$${variable}
  variables:
    GIT_STRATEGY: none
  allow_failure: true
  script:
    - ${script}
  artifacts:
    access: developer
    when: always
    paths: [gl-assets, ${file}, "gl-*.log"]
    reports:
      dast: ${file}
`;

const RUNNER_VALIDATION = `# Whether a runner can do scans of sites.
${DAST_STAGES}
variables:
  DAST_RUNNER_VALIDATION_VERSION: "1"

validation:
  stage: dast
  image: ${PREFIX}/dast-runner-validation:$DAST_RUNNER_VALIDATION_VERSION
  variables:
    GIT_STRATEGY: none
  script:
    - ~/validate.sh
`;

const DISCOVERY = `# What API a Spring Boot application has: extend this job, in an image with Java and curl.
variables:
  API_DISCOVERY_PACKAGES: https://gitlab.com/api/v4/projects/42503323/packages
  API_DISCOVERY_VERSION: "1"

.api_discovery_java_spring_boot:
  stage: test
  allow_failure: true
  script:
    - if [ -n "$API_DISCOVERY_JAVA_HOME" ]; then export JAVA_HOME="$API_DISCOVERY_JAVA_HOME" PATH="$API_DISCOVERY_JAVA_HOME/bin:$PATH"; fi
    - if [ -n "$API_DISCOVERY_PACKAGE_TOKEN" ]; then printf 'header = "PRIVATE-TOKEN:%s"\\n' "$API_DISCOVERY_PACKAGE_TOKEN" > ~/.curlrc; fi
    - curl -fLo api-discovery.jar "$API_DISCOVERY_PACKAGES/maven/com/gitlab/analyzers/api-discovery/api-discovery_spring-boot/$API_DISCOVERY_VERSION/api-discovery_spring-boot-$API_DISCOVERY_VERSION.jar"
    - java -jar api-discovery.jar
    - test -e gl-api-discovery-openapi.json
  artifacts:
    when: always
    paths: [gl-api-discovery-openapi.json, "gl-*.log"]
  rules:
    - if: $API_DISCOVERY_DISABLED
      when: never
    - if: $API_DISCOVERY_DISABLED_FOR_DEFAULT_BRANCH && $CI_COMMIT_REF_NAME == $CI_DEFAULT_BRANCH
      when: never
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_OPEN_MERGE_REQUESTS
      when: never
    - if: $CI_COMMIT_BRANCH
`;

const SEVERAL_IMAGES = `# Each image of .gitlab-multi-image.yml is looked through, in a pipeline of its own job by job.
variables:
  CS_SCANNER_IMAGE: $CI_TEMPLATE_REGISTRY_HOST/gitlab-org/security-products/analyzers/multiple-container-scanner:0

.multi-cs::scan-rules:
  rules:
    - if: $CONTAINER_SCANNING_DISABLED == "true" || $CONTAINER_SCANNING_DISABLED == "1"
      when: never
    - if: ${IN_REQUESTS} && $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: ${IN_REQUESTS} && $CI_OPEN_MERGE_REQUESTS
      when: never
    - if: $CI_COMMIT_BRANCH

multi-cs::generate-scan:
  extends: .multi-cs::scan-rules
  image: $CS_SCANNER_IMAGE
  allow_failure: true
  script:
    - generate_multi_image
  artifacts:
    paths: [gitlab-multi-image-output.yml]

multi-cs::trigger-scan:
  extends: .multi-cs::scan-rules
  needs: ["multi-cs::generate-scan"]
  trigger:
    include:
      - artifact: gitlab-multi-image-output.yml
        job: multi-cs::generate-scan
    strategy: mirror
    forward:
      pipeline_variables: true
      yaml_variables: true
`;

/** Analyzers and the version that the templates of scans take. */
const ANALYZERS = {
  semgrep: '6',
  kubesec: '6',
  'pmd-apex': '6',
  sobelow: '6',
  spotbugs: '6',
  kics: '6',
  secrets: '7',
  gemnasium: '6',
  'gemnasium-maven': '6',
  'gemnasium-python': '6',
  'container-scanning': '8',
  dast: '6',
  'dast-runner-validation': '1',
  'api-security': '6',
};

const SECURE_BINARIES = `# Images of the analyzers, for places without a way out: each is pulled, and pushed to the registry of the project.
variables:
  SECURE_ANALYZERS_PREFIX: ${PREFIX}
  SECURE_BINARIES_ANALYZERS: ${Object.keys(ANALYZERS).join(', ')}
  SECURE_BINARIES_DOWNLOAD_IMAGES: "true"
  SECURE_BINARIES_PUSH_IMAGES: "true"
  SECURE_BINARIES_SAVE_ARTIFACTS: "false"

.download_images:
  image: docker:27
  services: [docker:27-dind]
  variables:
    DOCKER_TLS_CERTDIR: ""
  allow_failure: true
  script:
    - image="\${SECURE_BINARIES_IMAGE:-$SECURE_ANALYZERS_PREFIX/$CI_JOB_NAME:$SECURE_BINARIES_ANALYZER_VERSION}"
    - copy="$CI_REGISTRY_IMAGE/$CI_JOB_NAME:$SECURE_BINARIES_ANALYZER_VERSION"
    - docker pull --quiet "$image"
    - mkdir -p output
    - if [ "$SECURE_BINARIES_SAVE_ARTIFACTS" = true ]; then docker save "$image" | gzip > "output/$CI_JOB_NAME.tar.gz" && sha256sum "output/$CI_JOB_NAME.tar.gz" > "output/$CI_JOB_NAME.tar.gz.sha256sum"; fi
    - if [ "$SECURE_BINARIES_PUSH_IMAGES" = true ]; then docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" "$CI_REGISTRY" && docker tag "$image" "$copy" && docker push "$copy"; fi
  artifacts:
    paths: [output/]

${Object.entries(ANALYZERS)
  .map(
    ([name, version]) => `${name}:
  extends: .download_images
  variables:
    SECURE_BINARIES_ANALYZER_VERSION: "${version}"
  rules:
    - if: $SECURE_BINARIES_DOWNLOAD_IMAGES != "true"
      when: never
    - if: $CI_COMMIT_BRANCH && $SECURE_BINARIES_ANALYZERS =~ /(^|[ ,])${name}($|[ ,])/
`,
  )
  .join('\n')}`;

const NOT_FOR_DAST = `    - if: $CI_COMMIT_REF_NAME != $CI_DEFAULT_BRANCH
      when: never
    - if: $DAST_DISABLED || $DAST_DISABLED_FOR_DEFAULT_BRANCH || $DAST_WEBSITE
      when: never
`;
const IN_CLUSTER = `${NOT_FOR_DAST}    - if: $KUBE_CONTEXT == null && $KUBECONFIG == null
      when: never
    - if: $CI_COMMIT_BRANCH
`;
const IN_ECS = `${NOT_FOR_DAST}    - if: $AUTO_DEVOPS_PLATFORM_TARGET != "ECS" || $KUBECONFIG
      when: never
    - if: $CI_COMMIT_BRANCH
`;

const DAST_DEPLOY = `# The default branch in an environment of its own, for a scan of what runs there.
.dast-helm:
  image:
    name: alpine/helm:3
    entrypoint: [""]

.dast-ecs:
  image: $CI_TEMPLATE_REGISTRY_HOST/gitlab-org/cloud-deploy/aws-ecs:latest

dast_environment_deploy:
  extends: .dast-helm
  stage: review
  script:
    - helm upgrade --install "$CI_ENVIRONMENT_SLUG" "\${HELM_CHART:-chart}" --namespace "\${KUBE_NAMESPACE:-default}" --set "image.repository=$CI_APPLICATION_REPOSITORY,image.tag=$CI_APPLICATION_TAG" --wait --atomic
    - echo "$CI_ENVIRONMENT_URL" > environment_url.txt
  environment:
    name: dast-default
    url: http://dast-$CI_PROJECT_ID-$CI_ENVIRONMENT_SLUG.$KUBE_INGRESS_BASE_DOMAIN
    on_stop: stop_dast_environment
  artifacts:
    paths: [environment_url.txt]
  rules:
${IN_CLUSTER}
stop_dast_environment:
  extends: .dast-helm
  stage: cleanup
  variables:
    GIT_STRATEGY: none
  needs:
    - job: dast
      optional: true
  script:
    - helm uninstall "$CI_ENVIRONMENT_SLUG" --namespace "\${KUBE_NAMESPACE:-default}"
  environment:
    name: dast-default
    action: stop
  rules:
${IN_CLUSTER}      when: always

dast_ecs_environment_deploy:
  extends: .dast-ecs
  stage: review
  script:
    - ecs update-task-definition
    - echo "http://$(ecs get-task-hostname)" > environment_url.txt
  environment:
    name: dast-default
    on_stop: stop_dast_ecs_environment
  artifacts:
    paths: [environment_url.txt]
  rules:
${IN_ECS}
stop_dast_ecs_environment:
  extends: .dast-ecs
  stage: cleanup
  variables:
    GIT_STRATEGY: none
  needs:
    - job: dast
      optional: true
  script:
    - ecs stop-task
  allow_failure: true
  environment:
    name: dast-default
    action: stop
  rules:
${IN_ECS}      when: always
`;

/** Scans that are started by hand, and what scans need, by the name that `include:template` takes. */
export const MORE_SCANS: Readonly<Record<string, string>> = {
  'Security/DAST-On-Demand-Scan': onDemand('a site', 'DAST_VERSION', 'dast', '/analyze', 'gl-dast-report.json'),
  'Security/DAST-On-Demand-API-Scan': onDemand(
    'an API',
    'DAST_API_VERSION',
    'api-security',
    '/peach/analyzer-dast-api',
    'gl-dast-api-report.json',
  ),
  'Security/DAST-Runner-Validation': RUNNER_VALIDATION,
  'Security/API-Discovery': DISCOVERY,
  'Security/Secure-Binaries': SECURE_BINARIES,
  'Jobs/Multi-Container-Scanning.latest': SEVERAL_IMAGES,
  'Security/Multi-Container-Scanning.latest': sameAs('Jobs/Multi-Container-Scanning.latest'),
  'Jobs/DAST-Default-Branch-Deploy': DAST_DEPLOY,
};
