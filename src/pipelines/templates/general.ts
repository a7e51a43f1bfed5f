/** Templates for projects of no language: first steps, scripts, images and documents, by the name that `include:template` takes. */
export const GENERAL: Readonly<Record<string, string>> = {
  Bash: `# Shell scripts: a place for each step.
image: busybox:latest

before_script:
  - echo "Before each job"

after_script:
  - echo "After each job"

build1:
  stage: build
  script:
    - echo "Build here"

test1:
  stage: test
  script:
    - echo "Test here"

test2:
  stage: test
  script:
    - echo "Another test, beside the first"

deploy1:
  stage: deploy
  script:
    - echo "Deploy here"
  environment: production
`,
  Docker: `# An image from the Dockerfile, pushed to the registry of the project.
# The default branch becomes "latest", others are tagged with their name.
docker-build:
  image: docker:cli
  stage: build
  services:
    - docker:dind
  variables:
    DOCKER_IMAGE_NAME: $CI_REGISTRY_IMAGE:$CI_COMMIT_REF_SLUG
  before_script:
    - echo "$CI_REGISTRY_PASSWORD" | docker login -u "$CI_REGISTRY_USER" --password-stdin "$CI_REGISTRY"
  script:
    - docker build --pull -t "$DOCKER_IMAGE_NAME" .
    - docker push "$DOCKER_IMAGE_NAME"
    - |
      if [ "$CI_COMMIT_BRANCH" = "$CI_DEFAULT_BRANCH" ]; then
        docker tag "$DOCKER_IMAGE_NAME" "$CI_REGISTRY_IMAGE:latest"
        docker push "$CI_REGISTRY_IMAGE:latest"
      fi
  rules:
    - if: $CI_COMMIT_BRANCH
      exists:
        - Dockerfile
`,
  'Getting-Started': `# A first pipeline: three stages that only say what they would do.
stages:
  - build
  - test
  - deploy

build-job:
  stage: build
  script:
    - echo "Compiling the code"

unit-test-job:
  stage: test
  script:
    - echo "Running unit tests"

lint-test-job:
  stage: test
  script:
    - echo "Linting the code"

deploy-job:
  stage: deploy
  environment: production
  script:
    - echo "Deploying the application"
`,
  LaTeX: `# A document set with latexmk.
build:
  stage: build
  image: registry.gitlab.com/islandoftex/images/texlive:latest
  script:
    - latexmk -pdf
  artifacts:
    paths:
      - ./*.pdf
`,
};
