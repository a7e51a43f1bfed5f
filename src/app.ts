import { rewriteArtifactUrl } from './api/ci/index.ts';
import { vocabulary } from './api/index.ts';
import { rewriteUploadUrl } from './api/spaces/index.ts';
import type { Deps } from './deps.ts';
import { rewriteGitUrl } from './git-server/http/git-http.paths.ts';
import { registerGitRoutes } from './git-server/http/git-http.routes.ts';
import { buildServer, type HttpServer } from './http/http.server.ts';
import { PathTree } from './http/route-table.ts';
import { rewritePageUrl } from './pages/pages.rewrite.ts';
import { registerPages } from './pages/pages.routes.ts';
import { routes } from './routes.ts';
import { benchRoutes, type TestBench } from './test-bench/index.ts';

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
  const plugins = [registerGitRoutes, registerPages];
  if (bench === null) return buildServer(deps, { routes, paths, vocabulary, rewriteUrl, plugins });
  const { interceptor, requests, snapshots } = bench;
  const watched = withBench.map(snapshots.gate.watched);
  const withRecorder = [...plugins, requests.plugin];
  const parts = { vocabulary, rewriteUrl, plugins: withRecorder, interceptor, onCached: requests.onCached };
  return buildServer(deps, { routes: watched, paths: benchPaths, ...parts });
}
