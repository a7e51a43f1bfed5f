import { rewriteArtifactUrl } from './api/ci/index.ts';
import { vocabulary } from './api/index.ts';
import { rewriteUploadUrl } from './api/spaces/index.ts';
import type { Deps } from './deps.ts';
import { rewriteGitUrl } from './git-server/http/git-http.paths.ts';
import { registerGitRoutes } from './git-server/http/git-http.routes.ts';
import { buildServer, type HttpServer } from './http/http.server.ts';
import { PathTree } from './http/route-table.ts';
import { routesAt } from './http/version-changes.ts';
import { rewritePageUrl } from './pages/pages.rewrite.ts';
import { registerPages } from './pages/pages.routes.ts';
import { routes } from './routes.ts';
import { benchRoutes, type TestBench } from './test-bench/index.ts';
import { registerWeb } from './web/web.routes.ts';

const withBench = [...routes, ...benchRoutes];
/** The paths of all servers of this process, without and with a test bench. */
const paths = new PathTree();
const benchPaths = new PathTree();

/**
 * Builds the whole server, for `main.ts` and tests. It does not listen yet.
 * @param bench the test bench; null if it is off
 */
export function buildApp(deps: Deps, bench: TestBench | null = null): HttpServer {
  const rewriteUrl = (url: string) => rewritePageUrl(rewriteUploadUrl(rewriteArtifactUrl(rewriteGitUrl(url))));
  const plugins = [registerGitRoutes, registerWeb, registerPages];
  const all = bench === null ? routes : withBench;
  const ofVersion = routesAt(deps.config.reportedVersion, all);
  // A version that lacks some routes has paths of its own.
  const shared = ofVersion === all ? { paths: bench === null ? paths : benchPaths } : {};
  const common = { ...shared, vocabulary, rewriteUrl };
  if (bench === null) return buildServer(deps, { ...common, routes: ofVersion, plugins });
  const { interceptor, messages, requests, snapshots } = bench;
  return buildServer(deps, {
    ...common,
    routes: ofVersion.map(snapshots.gate.watched),
    plugins: [...plugins, requests.plugin, snapshots.gate.plugin],
    interceptor,
    messages,
    onCached: requests.onCached,
  });
}
