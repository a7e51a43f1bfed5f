/** Templates that publish a site with Pages, by the name that `include:template` takes. */
export const SITES: Readonly<Record<string, string>> = {
  'Pages/HTML': `# A site of plain files: all that is in the repository.
create-pages:
  stage: deploy
  script:
    - mkdir .public
    - cp -r ./* .public
    - rm -rf public
    - mv .public public
  pages: true
  artifacts:
    paths:
      - public
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  'Pages/Hugo': `# A site made by Hugo.
default:
  image: hugomods/hugo:exts

variables:
  GIT_SUBMODULE_STRATEGY: recursive

test:
  stage: test
  script:
    - hugo
  rules:
    - if: $CI_COMMIT_BRANCH != $CI_DEFAULT_BRANCH

create-pages:
  stage: deploy
  script:
    - hugo
  pages: true
  artifacts:
    paths:
      - public
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  environment: production
`,
  'Pages/Jekyll': `# A site made by Jekyll.
image: ruby:latest

variables:
  JEKYLL_ENV: production
  LC_ALL: C.UTF-8

before_script:
  - gem install bundler
  - bundle install

test:
  stage: test
  script:
    - bundle exec jekyll build -d test
  artifacts:
    paths:
      - test
  rules:
    - if: $CI_COMMIT_BRANCH != $CI_DEFAULT_BRANCH

create-pages:
  stage: deploy
  script:
    - bundle exec jekyll build -d public
  pages: true
  artifacts:
    paths:
      - public
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  environment: production
`,
  'Pages/Middleman': `# A site made by Middleman.
image: ruby:latest

cache:
  paths:
    - vendor

before_script:
  - bundle install --path vendor

create-pages:
  stage: deploy
  script:
    - bundle exec middleman build --build-dir public
  pages: true
  artifacts:
    paths:
      - public
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
};
