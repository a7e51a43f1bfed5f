/** Templates that build and test one kind of project, by the name that `include:template` takes. */
export const LANGUAGES: Readonly<Record<string, string>> = {
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
  'C++': `# C and C++ with make.
image: gcc

build:
  stage: build
  script:
    - make
  artifacts:
    paths:
      - ./*.o
      - build/
  cache:
    key: $CI_COMMIT_REF_SLUG
    paths:
      - build/

test:
  stage: test
  script:
    - make test
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
  dotNET: `# .NET with the SDK's command line.
image: mcr.microsoft.com/dotnet/sdk:8.0

variables:
  NUGET_PACKAGES_DIRECTORY: .nuget

cache:
  key: $CI_JOB_STAGE-$CI_COMMIT_REF_SLUG
  paths:
    - $NUGET_PACKAGES_DIRECTORY
    - '**/obj/project.assets.json'

before_script:
  - dotnet restore --packages $NUGET_PACKAGES_DIRECTORY

build:
  stage: build
  script:
    - dotnet build --no-restore

test:
  stage: test
  script:
    - dotnet test --no-restore
`,
  Elixir: `# Elixir with mix.
image: elixir:latest

cache:
  key:
    files:
      - mix.lock
  paths:
    - deps/
    - _build/

before_script:
  - mix local.rebar --force
  - mix local.hex --force
  - mix deps.get

mix:
  stage: test
  variables:
    MIX_ENV: test
  script:
    - mix test
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
  Go: `# Go modules: formatted, checked, tested and compiled.
image: golang:latest

variables:
  GOPATH: $CI_PROJECT_DIR/.go

cache:
  key:
    files:
      - go.sum
  paths:
    - .go/pkg/mod/

format:
  stage: test
  script:
    - test -z "$(gofmt -l .)"
    - go vet ./...
    - go test -race ./...

compile:
  stage: build
  script:
    - mkdir -p mybinaries
    - go build -o mybinaries ./...
  artifacts:
    paths:
      - mybinaries
`,
  Gradle: `# Java and Kotlin with Gradle.
image: gradle:alpine

variables:
  GRADLE_OPTS: -Dorg.gradle.daemon=false

before_script:
  - export GRADLE_USER_HOME="$(pwd)/.gradle"

build:
  stage: build
  script: gradle --build-cache assemble
  cache:
    key: $CI_COMMIT_REF_NAME
    policy: push
    paths:
      - build
      - .gradle

test:
  stage: test
  script: gradle check
  cache:
    key: $CI_COMMIT_REF_NAME
    policy: pull
    paths:
      - build
      - .gradle
  artifacts:
    when: always
    reports:
      junit: build/test-results/test/**/TEST-*.xml
`,
  Julia: `# A Julia package and its tests.
image: julia:latest

test:
  stage: test
  script:
    - julia --project -e 'using Pkg; Pkg.instantiate(); Pkg.test(coverage=true)'
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
  Maven: `# Java with Maven: verified on every ref, deployed from the default branch.
image: maven:3-eclipse-temurin-21

variables:
  MAVEN_OPTS: -Dmaven.repo.local=$CI_PROJECT_DIR/.m2/repository
  MAVEN_CLI_OPTS: --batch-mode --errors --fail-at-end --show-version

cache:
  paths:
    - .m2/repository

verify:
  stage: test
  script:
    - mvn $MAVEN_CLI_OPTS verify
  rules:
    - if: $CI_COMMIT_BRANCH != $CI_DEFAULT_BRANCH

deploy:
  stage: deploy
  script:
    - if [ ! -f ci_settings.xml ]; then echo "CI settings missing"; fi
    - mvn $MAVEN_CLI_OPTS deploy --settings ci_settings.xml
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  Nodejs: `# Node.js with npm.
image: node:latest

cache:
  key:
    files:
      - package-lock.json
  paths:
    - node_modules/

install:
  stage: .pre
  script:
    - npm ci
  artifacts:
    expire_in: 1 hour
    paths:
      - node_modules/

test:
  stage: test
  script:
    - npm test
`,
  PHP: `# PHP with Composer and PHPUnit.
image: php:latest

cache:
  paths:
    - vendor/

before_script:
  - apt-get update -yqq
  - apt-get install -yqq git unzip
  - curl -sS https://getcomposer.org/installer | php
  - php composer.phar install

test:
  stage: test
  script:
    - vendor/bin/phpunit --configuration phpunit.xml
`,
  Python: `# Python in an environment of its own, with tests and a wheel.
image: python:latest

variables:
  PIP_CACHE_DIR: $CI_PROJECT_DIR/.cache/pip

cache:
  paths:
    - .cache/pip

before_script:
  - python --version
  - pip install virtualenv
  - virtualenv venv
  - . venv/bin/activate

test:
  stage: test
  script:
    - pip install pytest .
    - pytest --junitxml=report.xml
  artifacts:
    when: always
    reports:
      junit: report.xml

run:
  stage: build
  script:
    - pip install build
    - python -m build
  artifacts:
    paths:
      - dist/*
`,
  Ruby: `# Ruby with Bundler.
image: ruby:latest

cache:
  paths:
    - vendor/ruby

before_script:
  - ruby -v
  - bundle config set --local path vendor/ruby
  - bundle install -j $(nproc)

rspec:
  stage: test
  script:
    - bundle exec rspec

rubocop:
  stage: test
  script:
    - bundle exec rubocop
`,
  Rust: `# Rust with cargo.
image: rust:latest

variables:
  CARGO_HOME: $CI_PROJECT_DIR/.cargo

cache:
  key:
    files:
      - Cargo.lock
  paths:
    - .cargo/registry
    - target/

test:cargo:
  stage: test
  script:
    - rustc --version && cargo --version
    - cargo test --workspace --verbose
`,
  Scala: `# Scala with sbt.
image: sbtscala/scala-sbt:eclipse-temurin-21_1.10.0_3.4.2

test:
  stage: test
  script:
    - sbt clean test
`,
  Swift: `# Swift packages.
image: swift:latest

build:
  stage: build
  script:
    - swift build

test:
  stage: test
  script:
    - swift test
`,
};
