/** Tools that are bought elsewhere, by the name that `include:template` takes. */
export const PARTNERS: Readonly<Record<string, string>> = {
  Katalon: `# Tests of a Katalon Studio project: extend a job. Needs KATALON_API_KEY and KATALON_TEST_SUITE_PATH.
.katalon_tests:
  image: katalonstudio/katalon
  services: [docker:dind]
  variables:
    KATALON_PROJECT_DIR: $CI_PROJECT_DIR
  script:
    - katalonc.sh -projectPath="$KATALON_PROJECT_DIR" -apiKey="$KATALON_API_KEY" \${KATALON_ORG_ID:+-orgID="$KATALON_ORG_ID"} -browserType=Chrome -retry=0 -statusDelay=20 -testSuitePath="$KATALON_TEST_SUITE_PATH" -reportFolder=Reports/

.katalon_tests_with_artifacts:
  extends: .katalon_tests
  artifacts:
    when: always
    paths: [Reports/]
    reports:
      junit: Reports/*/*/*/*.xml
`,
  'Diffblue-Cover': `# Unit tests for Java that Diffblue Cover writes for a merge request. Needs DIFFBLUE_LICENSE_KEY, DIFFBLUE_ACCESS_TOKEN_NAME and DIFFBLUE_ACCESS_TOKEN.
variables:
  JVM_ARGS: -Xmx4g

diffblue-cover:
  stage: build
  image: diffblue/cover-cli:latest-jdk17
  script:
    - mvn test-compile --batch-mode --no-transfer-progress
    - dcover ci activate validate --maven create --maven
  artifacts:
    paths: ["**/.diffblue/"]
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
`,
  'Qualys-IaC-Security': `# Descriptions of infrastructure, looked through by Qualys. Needs QUALYS_URL, QUALYS_USERNAME and QUALYS_PASSWORD.
stages: [build, test, qualys_iac_scan, deploy]

qualys_iac_sast:
  stage: qualys_iac_scan
  image:
    name: qualys/qiac_security_cli:latest
    entrypoint: [""]
  script:
    - sh /home/qiac/gitlab.sh
  artifacts:
    paths: [qualys_iac_ci_result.json]
    reports:
      sast: gl-sast-qualys-iac-ci-report.json
`,
  'Security/Fortify-FoD-sast': `# The source, looked through by Fortify on Demand. Needs FOD_TENANT, FOD_USERNAME, FOD_PAT and FOD_RELEASE.
fortify_fod_sast:
  image: fortifydocker/fortify-ci-tools:3-jdk-8
  variables:
    PACKAGE_OPTS: -bt mvn
    FOD_URL: https://ams.fortify.com
    FOD_API_URL: https://api.ams.fortify.com/
    FOD_UPLOADER_OPTS: -ep 2 -pp 0
    FOD_NOTES: "Pipeline $CI_PIPELINE_IID: $CI_PIPELINE_URL"
  allow_failure: true
  script:
    - scancentral package $PACKAGE_OPTS -o package.zip
    - FoDUpload -z package.zip -aurl "$FOD_API_URL" -purl "$FOD_URL" -rid "$FOD_RELEASE" -tc "$FOD_TENANT" -uc "$FOD_USERNAME" "$FOD_PAT" $FOD_UPLOADER_OPTS -I 1 -n "$FOD_NOTES"
    - FortifyVulnerabilityExporter FoDToGitLabSAST --fod.baseUrl="$FOD_URL" --fod.tenant="$FOD_TENANT" --fod.userName="$FOD_USERNAME" --fod.password="$FOD_PAT" --fod.release.id="$FOD_RELEASE"
  artifacts:
    access: developer
    reports:
      sast: gl-fortify-sast.json
`,
};
