/** Templates that compile and test a project of one language or build tool, by the name that `include:template` takes. */
export const COMPILED: Readonly<Record<string, string>> = {
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
