import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { packageRoot } from '../../core/package-root.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../http.route.ts';
import { Serialized, sendJson } from '../http.send.ts';
import type { Vocabulary } from './openapi.words.ts';

const SCRIPT = 'vendor/rapidoc/rapidoc-min.js.gz';

/** The page only runs its own scripts and only connects to this server. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<script type="module" src="api/rapidoc.js"></script>
</head>
<body>
<rapi-doc spec-url="../api/v4/openapi.json" render-style="focused" load-fonts="false" show-header="false"
  allow-spec-url-load="false" allow-spec-file-load="false" allow-server-selection="false" schema-style="table"
  show-method-in-nav-bar="as-colored-text" use-path-in-nav-bar="false" sort-endpoints-by="path"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" primary-color="#b5541c"></rapi-doc>
</body>
</html>
`;

const IMMUTABLE = 'public, max-age=86400';

async function sendScript(acceptsGzip: boolean, reply: FastifyReply): Promise<FastifyReply> {
  const packed = await readFile(join(packageRoot(), SCRIPT));
  reply.type('text/javascript; charset=utf-8').header('Cache-Control', IMMUTABLE);
  reply.header('Vary', 'Origin, Accept-Encoding');
  if (acceptsGzip) return reply.header('Content-Encoding', 'gzip').send(packed);
  return reply.send(await promisify(gunzip)(packed));
}

/** Serves the OpenAPI document, and at `/-/api` a reference page that works offline. */
export function registerReference(
  app: FastifyInstance,
  deps: Deps,
  routes: readonly Route[],
  vocabulary: (() => Promise<Vocabulary>) | undefined,
): void {
  let made: { base: string; document: Serialized } | undefined;
  const make = async (base: string) => {
    const { openApiDocument } = await import('./openapi.document.ts');
    const { dialect, reportedVersion } = deps.config;
    const document = openApiDocument(routes, base, await vocabulary?.(), dialect, reportedVersion.text);
    return { base, document: Serialized.of(document) };
  };
  for (const path of ['/api/v4/openapi.json', '/api/openapi.json']) {
    app.get(path, async (request, reply) => {
      const base = deps.externalUrl();
      if (made?.base !== base) made = await make(base);
      return sendJson(request, reply, made.document);
    });
  }
  app.get('/-/api', (_request, reply) =>
    reply
      .header('Content-Security-Policy', CSP)
      .header('Cache-Control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(PAGE),
  );
  app.get('/-/api/rapidoc.js', (request, reply) =>
    sendScript(/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')), reply),
  );
}
