import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT_TOKEN, type TestApp } from './app.ts';
import { multipart } from './multipart.ts';

/** The token of who asks: of an administrator of its own, since imports are limited in number by user. */
const asking = async (app: TestApp, token?: string) => token ?? (await app.make.user({ admin: true })).token;

/** Sends an archive that a group or project shall be made of. @param token of an administrator of its own where none is named */
export const sendArchive = async (
  app: TestApp,
  to: 'groups' | 'projects',
  bytes: Buffer,
  fields: Record<string, string>,
  token?: string,
) =>
  app.post(`/${to}/import`, {
    token: await asking(app, token),
    ...multipart(fields, { field: 'file', name: 'a.tar.gz', bytes }),
  });

/**
 * Asks for a group or project of another server.
 * @param entity where it is otherwise than the group `source` that becomes `copy`
 * @param options `access`: what the other server is shown; `token` as above
 */
export const askImport = async (
  app: TestApp,
  url: string,
  entity: Record<string, unknown> = {},
  { access = ROOT_TOKEN, token }: { access?: string; token?: string } = {},
) =>
  app.post('/bulk_imports', {
    token: await asking(app, token),
    json: {
      configuration: { url, access_token: access },
      entities: [
        {
          source_type: 'group_entity',
          source_full_path: 'source',
          destination_namespace: '',
          destination_slug: 'copy',
          ...entity,
        },
      ],
    },
  });

/** Lets two servers work until the first has nothing to do any more. */
export async function drainBoth(app: TestApp, other: TestApp): Promise<void> {
  let ended = false;
  const settled = app.drain().finally(() => {
    ended = true;
  });
  while (!ended) {
    await other.drain();
    await sleep(10);
  }
  await settled;
}
