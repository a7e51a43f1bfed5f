import { Type } from 'typebox';
import { effectivePlan } from '../../../access/access.plan.ts';
import { VERSION } from '../../../core/core.version.ts';
import { route } from '../../../http/http.route.ts';
import { signedIn } from '../../api.access.ts';

/** Metadata of the server (silent parts of the specification); `/version` and `/metadata` give the same. */
const Metadata = Type.Object({
  version: Type.String({ description: 'Version of the platform whose API is served.' }),
  revision: Type.String(),
  kas: Type.Object(
    {
      enabled: Type.Boolean(),
      externalUrl: Type.Null(),
      externalK8sProxyUrl: Type.Null(),
      version: Type.Null(),
    },
    { description: 'Agent server for Kubernetes; always disabled.' },
  ),
  enterprise: Type.Boolean({ description: 'Whether the plan in force is above the free one.' }),
});

const metadataRoute = (path: string, summary: string) =>
  route({
    method: 'GET',
    path,
    summary,
    access: signedIn,
    scopes: ['read_user', 'ai_features'],
    success: { status: 200, schema: Metadata },
    handler: async ({ deps }) => ({
      version: deps.config.reportedVersion.text,
      revision: VERSION.revision,
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
      enterprise: (await effectivePlan(deps)) !== 'free',
    }),
  });

export const versionRoutes = [
  metadataRoute('/version', 'Get the version of the platform whose API is served'),
  metadataRoute('/metadata', 'Get the metadata of the server'),
];
