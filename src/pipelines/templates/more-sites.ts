import { renderTemplate, type TemplateSpec } from './render-template.ts';

const site = (tool: string, image: string, before: readonly string[], script: readonly string[]): string => {
  const words: TemplateSpec = {
    about: `A site made by ${tool}.`,
    image,
    before,
    jobs: { pages: script },
    artifacts: ['public'],
  };
  return renderTemplate(words)
    .replace('  stage: test\n', '  stage: deploy\n')
    .concat('  rules:\n    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n');
};
const node = (tool: string, ...script: string[]): string => site(tool, 'node:lts', ['npm ci'], script);
const ruby = (tool: string, ...script: string[]): string => site(tool, 'ruby:3.3', ['bundle install'], script);

/** Further makers of sites, by the name that `include:template` takes. */
export const MORE_SITES: Readonly<Record<string, string>> = {
  'Pages/Brunch': node('Brunch', 'npx brunch build --production'),
  'Pages/Doxygen': site(
    'Doxygen',
    'alpine',
    ['apk add --no-cache doxygen graphviz ttf-freefont'],
    ['doxygen Doxyfile', 'mv documentation/html public'],
  ),
  'Pages/Gatsby': node('Gatsby', 'npx gatsby build --prefix-paths'),
  'Pages/Harp': site('Harp', 'node:lts', ['npm install --global harp'], ['harp compile ./ public']),
  'Pages/Hexo': node('Hexo', 'npx hexo generate'),
  'Pages/Hyde': site('Hyde', 'python:2.7', ['pip install hyde'], ['hyde gen', 'hyde gen -d public']),
  'Pages/JBake': site(
    'JBake',
    'eclipse-temurin:17',
    ['chmod +x ./gradlew'],
    ['./gradlew bake', 'mv build/jbake public'],
  ),
  'Pages/Jigsaw': site(
    'Jigsaw',
    'composer:2',
    ['composer install', 'apk add --no-cache nodejs npm', 'npm ci'],
    ['npm run prod', './vendor/bin/jigsaw build production', 'mv build_production public'],
  ),
  'Pages/Lektor': site('Lektor', 'python:3', ['pip install lektor'], ['lektor build --output-path public']),
  'Pages/Metalsmith': node('Metalsmith', 'node build.js'),
  'Pages/Nanoc': ruby('Nanoc', 'bundle exec nanoc'),
  'Pages/Octopress': ruby('Octopress', 'bundle exec rake generate'),
  'Pages/Pelican': site(
    'Pelican',
    'python:3',
    ['pip install -r requirements.txt'],
    ['pelican -s publishconf.py -o public'],
  ),
  'Pages/SwaggerUI': site(
    'Swagger UI out of openapi.json',
    'node:lts',
    ['npm pack swagger-ui-dist', 'tar xzf swagger-ui-dist-*.tgz'],
    [
      'mkdir -p public && cp package/swagger-ui* package/favicon* package/index.* package/oauth2-redirect.html public/',
      'cp openapi.json public/',
      `printf 'window.onload=()=>{window.ui=SwaggerUIBundle({url:"openapi.json",dom_id:"#swagger-ui"})}' > public/swagger-initializer.js`,
    ],
  ),
  'Pages/Zola': site('Zola', 'alpine', ['apk add --no-cache zola'], ['zola build --base-url "$CI_PAGES_URL"']),
};
