/** Templates that test a project of a language which is run as it is written, by the name that `include:template` takes. */
export const SCRIPTED: Readonly<Record<string, string>> = {
  Julia: `# A Julia package and its tests.
image: julia:latest

test:
  stage: test
  script:
    - julia --project -e 'using Pkg; Pkg.instantiate(); Pkg.test(coverage=true)'
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
};
