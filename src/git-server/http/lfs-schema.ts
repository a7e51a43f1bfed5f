import { type Static, Type } from 'typebox';
import { Enum, Filled, Instant } from '../../http/http.schema.ts';

const OID = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';
const oid = Type.String({ description: 'SHA-256 of the content, in hexadecimal.', examples: [OID] });
const size = Type.Integer({ description: 'Size in bytes.', examples: [1048576] });

const Ref = Type.Object(
  { name: Type.String({ description: 'Full name of the ref.', examples: ['refs/heads/main'] }) },
  { description: 'Ref that the client has checked out.' },
);

/** Request body of the batch API. */
export const transferRequest = Type.Object({
  operation: Enum(['upload', 'download'], { description: 'Requested operation.', examples: ['download'] }),
  transfers: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Transfer adapters that the client supports. The server uses `basic`.',
      examples: [['basic']],
    }),
  ),
  ref: Type.Optional(Ref),
  objects: Type.Array(Type.Object({ oid, size }), {
    description: 'Objects to transfer, at most 5,000.',
    examples: [[{ oid: OID, size: 1048576 }]],
  }),
  hash_algo: Type.Optional(
    Type.String({ description: 'Hash algorithm. Only `sha256` is supported.', examples: ['sha256'] }),
  ),
});

const action = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        href: Type.String({
          description: 'URL of the request.',
          examples: [`https://forge.example/tools/app.git/gitlab-lfs/objects/${OID}`],
        }),
        header: Type.Record(Type.String(), Type.String(), { description: 'Headers of the request.' }),
      },
      { title: 'lfs_action', description },
    ),
  );

const LfsTransfer = Type.Object(
  {
    oid,
    size,
    authenticated: Type.Optional(
      Type.Boolean({ description: 'Whether the headers contain all required credentials.' }),
    ),
    actions: Type.Optional(
      Type.Object(
        {
          download: action('Request that downloads the content.'),
          upload: action('Request that uploads the content.'),
        },
        { description: 'Requests to send. Absent from uploads of objects that already exist.' },
      ),
    ),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.Integer({ description: 'HTTP status code.', examples: [404] }),
          message: Type.String({ description: 'Error message.', examples: ['Object does not exist on the server'] }),
        },
        { description: 'Reason why the object cannot be transferred.' },
      ),
    ),
  },
  { title: 'lfs_transfer' },
);

/** Response of the batch API. */
export const LfsBatch = Type.Object(
  {
    transfer: Type.String({ description: 'Transfer adapter.', examples: ['basic'] }),
    hash_algo: Type.String({ description: 'Hash algorithm of object ids.', examples: ['sha256'] }),
    objects: Type.Array(LfsTransfer, { description: 'Objects in the order of the request.' }),
  },
  { title: 'lfs_batch' },
);

const LfsLock = Type.Object(
  {
    id: Type.String({ description: 'Id of the lock.', examples: ['7'] }),
    path: Type.String({ description: 'Path of the locked file.', examples: ['models/house.blend'] }),
    locked_at: Instant({ description: 'Time of the lock.' }),
    owner: Type.Object(
      { name: Type.String({ description: 'Name of the user.', examples: ['Ann Archer'] }) },
      { description: 'User who locked the file.' },
    ),
  },
  { title: 'lfs_lock' },
);

const next_cursor = Type.Optional(
  Type.String({ description: 'Cursor of the next page. Absent on the last page.', examples: ['107'] }),
);

export const LockResponse = Type.Object({
  lock: Type.Unsafe<Static<typeof LfsLock>>({ ...LfsLock, description: 'The lock.' }),
});
export const LockList = Type.Object({
  locks: Type.Array(LfsLock, { description: 'Locks in the order of their creation.' }),
  next_cursor,
});
export const VerifiedLocks = Type.Object({
  ours: Type.Array(LfsLock, { description: 'Locks of the caller.' }),
  theirs: Type.Array(LfsLock, { description: 'Locks of other users.' }),
  next_cursor,
});

const cursor = Type.Optional(Type.String({ description: '`next_cursor` of the previous page.', examples: ['107'] }));
const limit = Type.Optional(Type.Integer({ description: 'Locks per page, at most 100.', examples: [100] }));

export const lockFilter = Type.Object({
  path: Type.Optional(
    Type.String({ description: 'Return only the lock of this file.', examples: ['models/house.blend'] }),
  ),
  id: Type.Optional(Type.String({ description: 'Return only the lock with this id.', examples: ['7'] })),
  cursor,
  limit,
  refspec: Type.Optional(
    Type.String({ description: 'Ref that the client has checked out.', examples: ['refs/heads/main'] }),
  ),
});
export const verifyRequest = Type.Object({ cursor, limit, ref: Type.Optional(Ref) });
export const lockRequest = Type.Object({
  path: Filled({ description: 'Path of the file to lock.', examples: ['models/house.blend'] }),
  ref: Type.Optional(Ref),
});
export const unlockRequest = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Whether to remove the lock of another user. Requires at least the Maintainer role.' }),
  ),
  ref: Type.Optional(Ref),
});
export const objectParams = {
  oid: Type.String({ description: 'SHA-256 of the object, in hexadecimal.', examples: [OID] }),
};
export const announcedParams = {
  ...objectParams,
  size: Type.String({ description: 'Announced size in bytes.', examples: ['1048576'] }),
};
export const lockParams = { lock_id: Type.String({ description: 'Id of the lock.', examples: ['7'] }) };
