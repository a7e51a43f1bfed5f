/**
 * Who may import whom (docs/architecture.md, "Where things are"). Tests may also import test/support.
 * The folders below src/api are areas, and those below them resources; routes call writes, writes call queries.
 */
const TEST = '\\.test\\.ts$';

/** Forbids code in `from` (a regular expression) to import anything in `to`. */
const never = (name, from, to, comment, fromNot = TEST) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: fromNot },
  to: { path: to },
});

/** Forbids each folder of a list, below a base (a regular expression), to know those after it. */
const inOrder = (name, base, folders, comment) =>
  folders
    .slice(0, -1)
    .map((folder, at) =>
      never(`${name}-${folder}`, `${base}${folder}/`, `${base}(${folders.slice(at + 1).join('|')})/`, comment),
    );

/** The folders of src from the bottom to the top: each may know those before it, and none after it. */
const ROOMS = [
  'core',
  'outbound',
  'config',
  'git',
  'ci',
  'markup',
  'db',
  'jobs',
  'audit',
  'feature-flags',
  'storage',
  'licence',
  'settings',
  'mail',
  'access',
  'packages',
  'repositories',
  'webhooks',
  'mirroring',
  'integrations',
  'references',
  'import-export',
  'pipelines',
  'http',
  'api',
  'git-server',
  'web',
  'pages',
  'test-bench',
  'backup',
  'cli',
];

/** The areas of the API in their order: each may know those before it, and none after it. */
const AREAS = [
  'identity',
  'spaces',
  'code',
  'planning',
  'ci',
  'packages',
  'delivery',
  'integrations',
  'notifications',
  'imports',
  'admin',
  'search',
  'graphql',
];

/** The libraries of git in their order, as the areas are. */
const LIBRARIES = [
  'common',
  'files',
  'line-diff',
  'process',
  'objects',
  'refs',
  'commit-graph',
  'repository',
  'trees',
  'history',
  'diff',
  'commits',
  'merge',
  'remote',
  'transport',
];

/** The folders of merge requests in their order: each may know those before it, and none after it. */
const OF_MERGE_REQUESTS = [
  'lifecycle',
  'approvals',
  'mergeability',
  'views',
  'merging',
  'head',
  'requests',
  'context-commits',
  'external-status-checks',
];

/** Packages that the bundle holds; they are development dependencies like all others, since nothing is installed with it. */
const PACKAGES =
  '^node_modules/(@fastify/busboy|chardet|chrono-node|croner|csv-parse|emoji-toolkit|fastify|gemoji|graphql|graphql-query-complexity|highlight.js|hono|kysely|linguist-languages|lru-cache|markdown-it|markdown-it-footnote|nodemailer|pg|prom-client|re2js|sanitize-html|saxes|spdx-license-list|strftime|tar-stream|typebox|yaml|yauzl|yazl)/';

/** Writes and queries that other resources may use: narrow, written to be shared. */
const NARROW = [
  '^src/api/identity/access-tokens/access-tokens\\.writes\\.ts$',
  '^src/api/spaces/members/members\\.(writes|queries)\\.ts$',
  '^src/api/identity/users/users\\.(writes|queries)\\.ts$',
  '^src/api/planning/(discussions|draft-notes|notes)/[a-z-]+\\.writes\\.ts$',
  '^src/api/planning/issuables/',
];

/** What texts do beside being written: it calls the writes of the endpoints, so that there is no second rule. */
const QUICK_ACTIONS = '^src/api/planning/quick-actions/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules that need each other, be it for types only, cannot be understood one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-missing-modules',
      comment: 'What is imported must be there and be a dependency in package.json.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^node:' },
    },
    {
      name: 'packages-of-the-program',
      comment:
        'What src imports becomes part of the bundle that is published: name it in PACKAGES, tools of tests are not.',
      severity: 'error',
      from: { path: '^src/', pathNot: TEST },
      to: { path: 'node_modules/', pathNot: PACKAGES, dependencyTypesNot: ['type-only'] },
    },
    never('core-is-the-bottom', '^src/core/', '^src/(?!core/)', 'core imports nothing of the rest.'),
    never(
      'caches-have-one-door',
      '^src/(?!core/cache/)',
      '^src/core/cache/(?!index\\.ts$)|^node_modules/lru-cache/',
      'What is kept in memory is a cache of core/cache, with a row in its table.',
    ),
    never(
      'git-knows-no-server',
      '^src/git/',
      '^src/(?!git/|core/)',
      'git is a library of its own: no HTTP, no SQL, no API.',
    ),
    never(
      'db-knows-no-server',
      '^src/db/',
      '^src/(?!db/|core/|config/|ci/)',
      'Tables and queries know neither HTTP nor git nor the API.',
    ),
    never('ci-is-pure', '^src/ci/', '^src/(?!ci/|core/)', 'Compiling a configuration is pure functions.'),
    never(
      'one-way-to-page',
      '^src/(?!http/)',
      '^src/http/pagination\\.ts$',
      'Lists are answered by `c.page`, which alone reads the page and sets the headers.',
    ),
    never(
      'routes-page-by-c-page',
      '^src/api/.*(routes|endpoints)\\.ts$',
      '^src/db/paginate\\.ts$',
      'A list route gives `c.page` a query, rows, or a function of the folder that reads a page.',
    ),
    never(
      'git-server-knows-no-http',
      '^src/git-server/(?!http/)',
      '^src/(http|pages|cli)/|^src/git-server/http/|^(node:)?https?$|node_modules/(fastify|@fastify)',
      'Who may reach a repository, and what a push does, is the same however somebody comes: HTTP stands on top.',
    ),
    never(
      'pushes-know-no-kind',
      '^src/(git-server/(?!git-server\\.access\\.ts$)|repositories/)',
      '^src/git-server/(project|snippet|wiki)-target\\.ts$',
      'What a push goes to is a GitTarget; only who finds it by its path knows the three.',
    ),
    ...inOrder(
      'rooms-in-order',
      '^src/',
      ROOMS,
      'What is built on knows nothing of what is built on it; what that adds comes by an extension point in deps.',
    ),
    never(
      'rooms-know-no-program',
      '^src/(?!cli/)[^/]+/',
      '^src/(?!deps\\.ts$)[^/]+\\.ts$',
      'The program around the folders starts them; they get what they need in deps.',
    ),
    never(
      'deps-name-what-is-below',
      '^src/deps\\.ts$',
      '^src/(http/(?!immutable-responses\\.ts$)|api/|git-server/|pages/|backup/|cli/)',
      'Everything knows deps: what it names must be below what uses it.',
    ),
    never('api-knows-no-configuration', '^src/api/', '^src/config/', 'A resource reads settings, not the environment.'),
    ...inOrder(
      'areas-in-order',
      '^src/api/',
      AREAS,
      'An area knows only those before it; what others add to it comes by deps.lifecycle, deps.refObservers or an event.',
    ),
    ...inOrder('git-in-order', '^src/git/', LIBRARIES, 'A library of git knows only those before it.'),
    never('git-is-libraries', '^src/', '^src/git/[^/]+$', 'Every file of git is in one of its libraries.', '^$'),
    ...inOrder(
      'merge-requests-in-order',
      '^src/api/planning/merge-requests/',
      OF_MERGE_REQUESTS,
      'A merge request is approved, then it can be merged, then shown, then merged; what a push does stands above.',
    ),
    {
      name: 'one-door',
      comment: 'The index.ts of another area, or of another library of git, is all that may be imported of it.',
      severity: 'error',
      from: { path: '^src/(api|git)/([^/]+)/', pathNot: TEST },
      to: { path: '^src/(api|git)/[^/]+/(?!index\\.ts$)', pathNot: '^src/$1/$2/' },
    },
    {
      name: 'one-door-outside',
      comment: 'The program around them knows of an area, and of a library of git, what its index.ts lends.',
      severity: 'error',
      from: { path: '^src/(?!(api|git)/[^/]+/)', pathNot: TEST },
      to: { path: '^src/(api|git)/[^/]+/(?!index\\.ts$)' },
    },
    {
      name: 'doors-open-outwards',
      comment: 'Inside an area or library the files are imported, not its own door.',
      severity: 'error',
      from: { path: '^src/(api|git)/([^/]+)/' },
      to: { path: '^src/$1/$2/index\\.ts$' },
    },
    {
      name: 'resources-keep-their-insides',
      comment: 'Ask another resource a narrow exported read function; its writes and queries are its own.',
      severity: 'error',
      from: { path: '^src/api/(.+)/[^/]+$', pathNot: [TEST, '^src/api/[^/]+/index\\.ts$', QUICK_ACTIONS] },
      to: {
        path: '^src/api/.+/[a-z.-]*(writes|queries|routes)\\.ts$',
        pathNot: ['^src/api/$1/', '^src/api/[^/]+/index\\.ts$', ...NARROW],
      },
    },
    never(
      'writes-know-no-routes',
      '^src/api/.*(writes|queries)\\.ts$',
      '(routes|^src/http/(http\\.server|http\\.register|context))\\.ts$',
      'Imports go routes, writes, queries, and never back.',
    ),
    never('queries-know-no-writes', '^src/api/.*queries\\.ts$', 'writes\\.ts$', 'Queries read; they change nothing.'),
    never('no-test-support-in-src', '^src/', '^(test|bench)/', 'Only tests use what tests need.'),
    never('nothing-imports-tests', '^(src|test|bench)/', TEST, 'A test file is a program of its own.', '^$'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
