import { renderTemplates, sameAs } from './render-template.ts';

const android = {
  about: 'An Android app: lint, unit tests and a debug build with Gradle.',
  image: 'cimg/android:2024.10',
  cache: ['.gradle/'],
  before: ['export GRADLE_USER_HOME="$CI_PROJECT_DIR/.gradle"', 'chmod +x ./gradlew'],
  jobs: {
    lintDebug: ['./gradlew -q lintDebug'],
    debugTests: ['./gradlew -q testDebug'],
    build: ['./gradlew assembleDebug'],
  },
  artifacts: ['app/build/outputs/'],
};

/** Further languages and frameworks, by the name that `include:template` takes. */
export const LANGUAGES: Readonly<Record<string, string>> = {
  ...renderTemplates({
    Android: android,
    'Android.latest': android,
    'Android-Fastlane': {
      about: 'An Android app, built and tested by the lanes of fastlane.',
      image: 'cimg/android:2024.10',
      cache: ['vendor/bundle'],
      before: ['bundle config set --local path vendor/bundle', 'bundle install'],
      jobs: { build: ['bundle exec fastlane buildDebug'], test: ['bundle exec fastlane test'] },
      artifacts: ['app/build/outputs/'],
    },
    'iOS-Fastlane': {
      about: 'An iOS app, built by the lanes of fastlane on a runner with macOS.',
      image: 'macos-14-xcode-15',
      cache: ['vendor/bundle'],
      before: ['bundle config set --local path vendor/bundle', 'bundle install'],
      jobs: { test: ['bundle exec fastlane tests'], build: ['bundle exec fastlane build'] },
      artifacts: ['fastlane/builds/'],
    },
    Chef: {
      about: 'A cookbook of Chef: style, then its tests.',
      image: 'chef/chefworkstation',
      before: ['export CHEF_LICENSE=accept-silent'],
      jobs: { cookstyle: ['cookstyle .'], chefspec: ['chef exec rspec'], verify: ['kitchen list'] },
    },
    Clojure: {
      about: 'Clojure with Leiningen.',
      image: 'clojure:lein',
      cache: ['.m2/'],
      before: ['export LEIN_JVM_OPTS="-Dmaven.repo.local=.m2"', 'lein deps'],
      jobs: { test: ['lein test'] },
    },
    Crystal: {
      about: 'Crystal with its package manager shards.',
      image: 'crystallang/crystal',
      cache: ['lib/'],
      before: ['shards install'],
      jobs: { spec: ['crystal spec'], format: ['crystal tool format --check'] },
    },
    Dart: {
      about: 'A Dart package: analysis and tests.',
      image: 'dart',
      cache: ['.pub-cache/'],
      before: ['export PUB_CACHE="$CI_PROJECT_DIR/.pub-cache"', 'dart pub get'],
      jobs: { analyze: ['dart analyze --fatal-infos'], test: ['dart test'] },
    },
    Django: {
      about: 'A site made with Django, tested on PostgreSQL.',
      image: 'python:3',
      cache: ['.cache/pip/'],
      before: ['export PIP_CACHE_DIR="$CI_PROJECT_DIR/.cache/pip"', 'python -m pip install -r requirements.txt'],
      jobs: {
        migrations: ['python manage.py makemigrations --check --dry-run'],
        'django-tests': ['python manage.py test'],
      },
    },
    Flutter: {
      about: 'A Flutter app: analysis, and tests with their coverage.',
      image: 'ghcr.io/cirruslabs/flutter:stable',
      before: ['flutter pub get'],
      jobs: { analyze: ['flutter analyze'], test: ['flutter test --coverage'] },
      artifacts: ['coverage/'],
    },
    Grails: {
      about: 'Grails with its Gradle wrapper.',
      image: 'eclipse-temurin:17',
      cache: ['.gradle/'],
      before: ['export GRADLE_USER_HOME="$CI_PROJECT_DIR/.gradle"'],
      jobs: { test: ['./gradlew test'], build: ['./gradlew assemble'] },
      artifacts: ['build/libs/'],
    },
    Laravel: {
      about: 'A site made with Laravel: its packages, assets and tests.',
      image: 'php:8.3-cli',
      cache: ['vendor/', 'node_modules/'],
      before: [
        'apt-get update -qq && apt-get install -qq -y git unzip libzip-dev',
        'docker-php-ext-install zip',
        'curl -sS https://getcomposer.org/installer | php -- --install-dir=/usr/local/bin --filename=composer',
        'composer install --no-interaction',
        'cp -n .env.example .env',
        'php artisan key:generate',
      ],
      jobs: { test: ['php artisan test'] },
    },
    npm: {
      about: 'A package of npm, published to the package registry of the project from the default branch.',
      image: 'node:lts',
      before: [
        'export REGISTRY="${CI_API_V4_URL#*:}/projects/$CI_PROJECT_ID/packages/npm/"',
        'npm config set --location=project "$REGISTRY:_authToken" "$CI_JOB_TOKEN"',
      ],
      jobs: { deploy: ['npm publish --registry "$CI_API_V4_URL/projects/$CI_PROJECT_ID/packages/npm/"'] },
    },
    MATLAB: {
      about: 'MATLAB: the tests of the project, run without a window. MLM_LICENSE_FILE says where the licence is.',
      image: 'mathworks/matlab:latest',
      jobs: { run_tests: [`matlab -batch "results = runtests('IncludeSubfolders', true); assertSuccess(results);"`] },
    },
    Mono: {
      about: 'A solution of .NET Framework, built by Mono.',
      image: 'mono:latest',
      before: ['nuget restore -NonInteractive'],
      jobs: {
        build: ['msbuild /p:Configuration=Release'],
        test: ['mono packages/NUnit.ConsoleRunner.*/tools/nunit3-console.exe */bin/Release/*.Tests.dll'],
      },
    },
    'dotNET-Core': {
      about: '.NET: restored, built and tested on every ref.',
      image: 'mcr.microsoft.com/dotnet/sdk:8.0',
      cache: ['.nuget/'],
      before: ['dotnet restore --packages .nuget'],
      jobs: { build: ['dotnet build --no-restore'], test: ['dotnet test --no-restore'] },
    },
    'Hello-World': {
      about: 'A single job, to see a runner work.',
      image: 'alpine',
      jobs: { hello: ['echo "Hello, $GITLAB_USER_LOGIN"'] },
    },
    ThemeKit: {
      about:
        'A theme of Shopify, sent to the shop with Theme Kit. Needs THEMEKIT_PASSWORD, THEMEKIT_STORE and THEMEKIT_THEME_ID.',
      image: 'python:3',
      jobs: { deploy: ['curl -s https://shopify.dev/themekit.py | python3', 'theme deploy'] },
    },
    'Database/liquibase': {
      about: 'Changes of a database with Liquibase. Needs LIQUIBASE_COMMAND_URL, and a user with its password.',
      image: 'liquibase/liquibase',
      jobs: { validate: ['liquibase validate', 'liquibase status --verbose'], deploy: ['liquibase update'] },
    },
  }),
  liquibase: sameAs('Database/liquibase'),
  Composer: `# A package of PHP, published to the package registry of the project when there is a tag.
publish:
  stage: deploy
  image: curlimages/curl
  script:
    - 'curl --fail-with-body --header "Job-Token: $CI_JOB_TOKEN" --data "tag=$CI_COMMIT_TAG" "$CI_API_V4_URL/projects/$CI_PROJECT_ID/packages/composer"'
  environment: production
  rules:
    - if: $CI_COMMIT_TAG
`,
};
