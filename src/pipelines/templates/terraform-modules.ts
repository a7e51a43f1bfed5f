/** Modules of Terraform for the registry of the project, by the name that `include:template` takes. */
export const TERRAFORM_MODULES: Readonly<Record<string, string>> = {
  'Terraform/Module-Base': `# What is done with a module of Terraform: extend these jobs.
variables:
  TERRAFORM_MODULE_DIR: $CI_PROJECT_DIR
  TERRAFORM_MODULE_NAME: $CI_PROJECT_NAME
  TERRAFORM_MODULE_SYSTEM: local
  TERRAFORM_MODULE_VERSION: $CI_COMMIT_TAG

.terraform-module:fmt:
  stage: validate
  image:
    name: hashicorp/terraform:1.5
    entrypoint: [""]
  script:
    - terraform -chdir="$TERRAFORM_MODULE_DIR" fmt -check -recursive
  allow_failure: true

.terraform-module:deploy:
  stage: deploy
  image: alpine:3
  before_script:
    - apk add --no-cache curl tar
  script:
    - name="$(printf %s "$TERRAFORM_MODULE_NAME" | tr ' _' '--')"
    - version="\${TERRAFORM_MODULE_VERSION#v}"
    - tar -czf /tmp/module.tgz -C "$TERRAFORM_MODULE_DIR" --exclude=./.git .
    - |
      curl --fail-with-body --location --header "JOB-TOKEN: $CI_JOB_TOKEN" --upload-file /tmp/module.tgz "$CI_API_V4_URL/projects/$CI_PROJECT_ID/packages/terraform/modules/$name/$TERRAFORM_MODULE_SYSTEM/$version/file"
`,
  'Terraform-Module': `# A module of Terraform: looked through, and published in the registry of the project for each tag.
include:
  - template: Terraform/Module-Base.gitlab-ci.yml
  - template: Jobs/SAST-IaC.gitlab-ci.yml

stages: [build, test, deploy]

deploy:
  extends: .terraform-module:deploy
  rules:
    - if: $CI_COMMIT_TAG
`,
};
