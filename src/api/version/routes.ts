import { Type } from 'typebox';
import { VERSION } from '../../core/version.ts';
import { route } from '../../http/route.ts';
import { signedIn } from '../access.ts';

const Version = Type.Object({ version: Type.String(), revision: Type.String() });

const Metadata = Type.Object({
  version: Type.String(),
  revision: Type.String(),
  kas: Type.Object({
    enabled: Type.Boolean(),
    externalUrl: Type.Null(),
    externalK8sProxyUrl: Type.Null(),
    version: Type.Null(),
  }),
  enterprise: Type.Boolean(),
});

export const versionRoutes = [
  route({
    method: 'GET',
    path: '/version',
    summary: 'Get the version of the platform whose API is served',
    access: signedIn,
    scopes: ['read_user', 'ai_features'],
    success: { status: 200, schema: Version },
    handler: () => ({ version: VERSION.api, revision: VERSION.revision }),
  }),
  route({
    method: 'GET',
    path: '/metadata',
    summary: 'Get the metadata of the server',
    access: signedIn,
    scopes: ['read_user', 'ai_features'],
    success: { status: 200, schema: Metadata },
    handler: ({ deps }) => ({
      version: VERSION.api,
      revision: VERSION.revision,
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
      enterprise: deps.config.plan !== 'free',
    }),
  }),
];
