import { renderTemplate, sameAs } from './render-template.ts';

const KANIKO = `# An image from the Dockerfile, built without a Docker daemon and pushed to the registry of the project.
kaniko-build:
  stage: build
  image:
    name: martizih/kaniko:debug
    entrypoint: [""]
  variables:
    KANIKO_ARGS: ""
    KANIKO_BUILD_CONTEXT: $CI_PROJECT_DIR
    DOCKERFILE: $CI_PROJECT_DIR/Dockerfile
  script:
    - mkdir -p /kaniko/.docker
    - printf '{"auths":{"%s":{"username":"%s","password":"%s"}}}' "$CI_REGISTRY" "$CI_REGISTRY_USER" "$CI_REGISTRY_PASSWORD" > /kaniko/.docker/config.json
    - if [ "$CI_COMMIT_BRANCH" = "$CI_DEFAULT_BRANCH" ]; then tag=latest; else tag="$CI_COMMIT_REF_SLUG"; fi
    - /kaniko/executor --context "$KANIKO_BUILD_CONTEXT" --dockerfile "$DOCKERFILE" --destination "$CI_REGISTRY_IMAGE:\${CI_COMMIT_TAG:-$tag}" $KANIKO_ARGS
  rules:
    - if: $CI_COMMIT_BRANCH || $CI_COMMIT_TAG
`;

const IN_REQUESTS = `  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_OPEN_MERGE_REQUESTS
      when: never
    - if: $CI_COMMIT_BRANCH
`;

/**
 * Hidden jobs of Terraform or OpenTofu, whose state is kept by the server.
 * @param rules of what only looks: none, or in pipelines of merge requests as well
 */
const base = (
  tool: string,
  command: string,
  image: string,
  rules: string,
): string => `# What ${tool} does: extend these jobs. The state is kept by this server.
image:
  name: ${image}
  entrypoint: [""]

variables:
  TF_ROOT: $CI_PROJECT_DIR
  TF_STATE_NAME: default
  TF_IN_AUTOMATION: "true"
  TF_HTTP_ADDRESS: $CI_API_V4_URL/projects/$CI_PROJECT_ID/terraform/state/$TF_STATE_NAME
  TF_HTTP_LOCK_ADDRESS: $TF_HTTP_ADDRESS/lock
  TF_HTTP_UNLOCK_ADDRESS: $TF_HTTP_ADDRESS/lock
  TF_HTTP_LOCK_METHOD: POST
  TF_HTTP_UNLOCK_METHOD: DELETE
  TF_HTTP_USERNAME: gitlab-ci-token
  TF_HTTP_PASSWORD: $CI_JOB_TOKEN

cache:
  key: $TF_ROOT
  paths:
    - $TF_ROOT/.terraform/

.terraform:fmt:
  stage: validate
  needs: []
  script:
    - cd "$TF_ROOT" && ${command} fmt -check -recursive
  allow_failure: true
${rules}
.terraform:validate:
  stage: validate
  script:
    - cd "$TF_ROOT" && ${command} init -backend=false && ${command} validate
${rules}
.terraform:build:
  stage: build
  script:
    - cd "$TF_ROOT" && ${command} init && ${command} plan -input=false -out=plan.cache
    - ${command} show -json plan.cache > plan.json
  resource_group: $TF_STATE_NAME
  artifacts:
    access: developer
    paths:
      - $TF_ROOT/plan.cache
      - $TF_ROOT/.terraform.lock.hcl
${rules}
.terraform:deploy:
  stage: deploy
  script:
    - cd "$TF_ROOT" && ${command} init && ${command} apply -input=false plan.cache
  resource_group: $TF_STATE_NAME
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $TF_AUTO_DEPLOY == "true"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      when: manual

.terraform:destroy:
  stage: cleanup
  script:
    - cd "$TF_ROOT" && ${command} init && ${command} destroy -input=false -auto-approve
  resource_group: $TF_STATE_NAME
  when: manual
`;

const jobs = (about: string, from: string): string => `# ${about}
include:
  - template: ${from}.gitlab-ci.yml

stages: [validate, test, build, deploy, cleanup]

fmt:
  extends: .terraform:fmt

validate:
  extends: .terraform:validate
  needs: []

build:
  extends: .terraform:build

deploy:
  extends: .terraform:deploy
  dependencies: [build]
  environment:
    name: $TF_STATE_NAME
`;

const terraform = (rules: string) => base('Terraform', 'terraform', 'hashicorp/terraform:1.5', rules);

const APPLICATION = `variables:
  CI_APPLICATION_REPOSITORY: $CI_REGISTRY_IMAGE/$CI_COMMIT_REF_SLUG
  CI_APPLICATION_TAG: $CI_COMMIT_SHA
`;

const BUILD = `# An image from the Dockerfile of the project.
build:
  stage: build
  image: docker:27
  services: [docker:27-dind]
  variables:
    DOCKER_TLS_CERTDIR: ""
  script:
    - if [ -n "$CI_COMMIT_TAG" ]; then repository="$CI_REGISTRY_IMAGE"; tag="$CI_COMMIT_TAG"; else repository="$CI_REGISTRY_IMAGE/$CI_COMMIT_REF_SLUG"; tag="$CI_COMMIT_SHA"; fi
    - docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" "$CI_REGISTRY"
    - docker build --pull -t "$repository:$tag" -t "$repository:latest" .
    - docker push --all-tags "$repository"
    - printf 'CI_APPLICATION_REPOSITORY=%s\\nCI_APPLICATION_TAG=%s\\n' "$repository" "$tag" > build.env
  artifacts:
    reports:
      dotenv: build.env
  rules:
    - if: $BUILD_DISABLED == "true" || $BUILD_DISABLED == "1"
      when: never
    - if: $AUTO_DEVOPS_PLATFORM_TARGET == "EC2"
      when: never
    - if: $CI_COMMIT_TAG || $CI_COMMIT_BRANCH
`;

const TEST = `# The tests of the project, in the image that its Dockerfile makes: what TEST_COMMAND says.
test:
  stage: test
  image: docker:27
  services: [docker:27-dind]
  variables:
    DOCKER_TLS_CERTDIR: ""
  script:
    - docker build --pull -t tested .
    - docker run --rm -e CI=true tested sh -c "\${TEST_COMMAND:-make test}"
  rules:
    - if: $TEST_DISABLED == "true" || $TEST_DISABLED == "1"
      when: never
    - if: ($CI_COMMIT_TAG || $CI_COMMIT_BRANCH) && $TEST_COMMAND
`;

/** A job that brings the application to a cluster with Helm. */
const helm = (job: string, stage: string, environment: string, rules: string): string => `${job}:
  extends: .helm
  stage: ${stage}
  environment:
    name: ${environment}
  rules:
    - if: $KUBE_CONTEXT == null && $KUBECONFIG == null
      when: never
${rules}`;

const DEPLOY = `# The application in a cluster, by the chart in chart/. KUBECONFIG or KUBE_CONTEXT says which cluster.
.helm:
  image:
    name: alpine/helm:3
    entrypoint: [""]
  script:
    - helm upgrade --install "$CI_ENVIRONMENT_SLUG" "\${HELM_CHART:-chart}" --namespace "\${KUBE_NAMESPACE:-default}" --set "image.repository=$CI_APPLICATION_REPOSITORY,image.tag=$CI_APPLICATION_TAG" --wait --atomic

${helm('review', 'review', 'review/$CI_COMMIT_REF_NAME\n    on_stop: stop_review', '    - if: $REVIEW_DISABLED == "true" || $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n      when: never\n    - if: $CI_COMMIT_BRANCH\n')}
stop_review:
  extends: .helm
  stage: cleanup
  variables:
    GIT_STRATEGY: none
  environment:
    name: review/$CI_COMMIT_REF_NAME
    action: stop
  script:
    - helm uninstall "$CI_ENVIRONMENT_SLUG" --namespace "\${KUBE_NAMESPACE:-default}"
  allow_failure: true
  rules:
    - if: $KUBE_CONTEXT == null && $KUBECONFIG == null
      when: never
    - if: $REVIEW_DISABLED == "true" || $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      when: never
    - if: $CI_COMMIT_BRANCH
      when: manual

${helm('staging', 'staging', 'staging', '    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $STAGING_ENABLED\n')}
${helm('production', 'production', 'production', '    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $STAGING_ENABLED\n      when: manual\n    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n')}`;

const aws = (job: string, target: string, image: string, script: string): string => `${job}:
  stage: production
  image: ${image}
  script:
    - ${script}
  environment:
    name: production
  rules:
    - if: $AUTO_DEVOPS_PLATFORM_TARGET != "${target}"
      when: never
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`;

const AWS = '$CI_TEMPLATE_REGISTRY_HOST/gitlab-org/cloud-deploy/aws-base:latest';
const ECS = `# A task of Amazon ECS that takes the image of this pipeline. Needs CI_AWS_ECS_CLUSTER, CI_AWS_ECS_SERVICE and CI_AWS_ECS_TASK_DEFINITION.
${aws('production_ecs', 'ECS', AWS.replace('aws-base', 'aws-ecs'), 'ecs update-task-definition')}`;
const EC2 = `# An application that goes to machines of Amazon EC2 by CodeDeploy.
${aws('production_ec2', 'EC2', AWS.replace('aws-base', 'aws-ec2'), 'gl-ec2 deploy-to-ec2')}`;
const PROVISION = `# Machines of Amazon EC2, made by CloudFormation.
${aws('cloud_formation', 'EC2', AWS.replace('aws-base', 'aws-cloudformation'), 'gl-cloudformation create-stack').replace('stage: production', 'stage: build')}`;

const STAGES = 'stages: [build, test, review, deploy, dast, staging, production, performance, cleanup]\n';

const include = (...names: string[]): string =>
  `include:\n${names.map((name) => `  - template: ${name}.gitlab-ci.yml\n`).join('')}`;

/** What builds, brings out and runs applications, by the name that `include:template` takes. */
export const DEPLOYING: Readonly<Record<string, string>> = {
  Kaniko: KANIKO,
  'Terraform/Base': terraform(''),
  'Terraform/Base.latest': terraform(IN_REQUESTS),
  Terraform: jobs('Infrastructure by Terraform: checked, planned, and put in force by hand.', 'Terraform/Base'),
  'Terraform.latest': jobs(
    'Infrastructure by Terraform: checked, planned, and put in force by hand.',
    'Terraform/Base.latest',
  ),
  'OpenTofu/Base.latest': base('OpenTofu', 'tofu', 'ghcr.io/opentofu/opentofu:1', IN_REQUESTS),
  'OpenTofu.latest': jobs(
    'Infrastructure by OpenTofu: checked, planned, and put in force by hand.',
    'OpenTofu/Base.latest',
  ),
  Packer: renderTemplate({
    about: 'Images of machines by Packer.',
    image: 'hashicorp/packer',
    before: ['packer init .'],
    jobs: { validate: ['packer validate .'], build: ['packer build .'] },
  }),
  OpenShift: renderTemplate({
    about: 'An application in OpenShift. Needs OPENSHIFT_SERVER, OPENSHIFT_TOKEN and OPENSHIFT_PROJECT.',
    image: 'quay.io/openshift/origin-cli',
    before: ['oc login "$OPENSHIFT_SERVER" --token="$OPENSHIFT_TOKEN"', 'oc project "$OPENSHIFT_PROJECT"'],
    jobs: {
      deploy: [
        'oc get service "$CI_PROJECT_NAME" || oc new-app . --name="$CI_PROJECT_NAME" --strategy=docker',
        'oc start-build "$CI_PROJECT_NAME" --from-dir=. --follow',
      ],
    },
  }),
  Cosign: `# The image of Docker.gitlab-ci.yml, signed by Cosign with the identity of the job.
${include('Docker')}
cosign-sign:
  stage: deploy
  image: alpine
  needs: [docker-build]
  id_tokens:
    SIGSTORE_ID_TOKEN:
      aud: sigstore
  before_script:
    - apk add --no-cache cosign docker-cli
    - docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" "$CI_REGISTRY"
  script:
    - cosign sign --yes "$CI_REGISTRY_IMAGE:$CI_COMMIT_REF_SLUG"
  rules:
    - if: $CI_COMMIT_BRANCH
      exists: [Dockerfile]
`,
  'Jobs/Build': BUILD,
  'Jobs/Build.latest': BUILD,
  'Jobs/Test': TEST,
  'Jobs/Deploy': DEPLOY,
  'Jobs/Deploy.latest': DEPLOY,
  'Jobs/Deploy/ECS': ECS,
  'Jobs/Deploy/EC2': EC2,
  'Jobs/CF-Provision': PROVISION,
  'AWS/Deploy-ECS': `stages: [build, test, review, deploy, production, cleanup]\n\n${include('Jobs/Build', 'Jobs/Deploy/ECS')}`,
  'Deploy-ECS': sameAs('AWS/Deploy-ECS'),
  'AWS/CF-Provision-and-Deploy-EC2': `stages: [build, test, review, deploy, production, cleanup]\n\n${include('Jobs/CF-Provision', 'Jobs/Deploy/EC2')}`,
  'Auto-DevOps': `# Everything that can be done without a configuration of one's own: build, test, scan, deploy.
${STAGES}
${APPLICATION}
${include(
  'Jobs/Build',
  'Jobs/Test',
  'Jobs/Code-Quality',
  'Jobs/SAST',
  'Jobs/Secret-Detection',
  'Jobs/Dependency-Scanning',
  'Jobs/Container-Scanning',
  'Jobs/Deploy',
  'Jobs/Deploy/ECS',
  'Jobs/Browser-Performance-Testing',
)}`,
};
