import { type Static, Type } from 'typebox';
import { Enum, Filled, Instant } from '../../http/http.schema.ts';

const OID = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';
const oid = Type.String({ description: 'SHA-256 of its bytes, hexadecimal.', examples: [OID] });
const size = Type.Integer({ description: 'Its bytes.', examples: [1048576] });

const Ref = Type.Object(
  { name: Type.String({ description: 'Its full name.', examples: ['refs/heads/main'] }) },
  { description: 'The ref that the client is on.' },
);

/** Body of the batch API. */
export const transferRequest = Type.Object({
  operation: Enum(['upload', 'download'], { description: 'What the client wants to do.', examples: ['download'] }),
  transfers: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Transfers that the client knows; `basic` is used.',
      examples: [['basic']],
    }),
  ),
  ref: Type.Optional(Ref),
  objects: Type.Array(Type.Object({ oid, size }), {
    description: 'The objects, at most 5,000.',
    examples: [[{ oid: OID, size: 1048576 }]],
  }),
  hash_algo: Type.Optional(Type.String({ description: 'Only `sha256` is known.', examples: ['sha256'] })),
});

const action = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        href: Type.String({
          description: 'Address to call.',
          examples: [`https://forge.example/tools/app.git/gitlab-lfs/objects/${OID}`],
        }),
        header: Type.Record(Type.String(), Type.String(), { description: 'Headers to send along.' }),
      },
      { title: 'lfs_action', description },
    ),
  );

const LfsTransfer = Type.Object(
  {
    oid,
    size,
    authenticated: Type.Optional(Type.Boolean({ description: 'Whether the headers hold all credentials.' })),
    actions: Type.Optional(
      Type.Object(
        { download: action('How to get its bytes.'), upload: action('How to send its bytes.') },
        { description: 'What is to be done; nothing where the server has the object already.' },
      ),
    ),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.Integer({ description: 'An HTTP status.', examples: [404] }),
          message: Type.String({ description: 'In words.', examples: ['Object does not exist on the server'] }),
        },
        { description: 'Why it cannot be transferred.' },
      ),
    ),
  },
  { title: 'lfs_transfer' },
);

/** Answer of the batch API. */
export const LfsBatch = Type.Object(
  {
    transfer: Type.String({ description: 'How bytes are transferred.', examples: ['basic'] }),
    hash_algo: Type.String({ description: 'What objects are called by.', examples: ['sha256'] }),
    objects: Type.Array(LfsTransfer, { description: 'The objects in the order of the request.' }),
  },
  { title: 'lfs_batch' },
);

const LfsLock = Type.Object(
  {
    id: Type.String({ description: 'Id of the lock.', examples: ['7'] }),
    path: Type.String({ description: 'The file.', examples: ['models/house.blend'] }),
    locked_at: Instant({ description: 'When it was locked.' }),
    owner: Type.Object(
      { name: Type.String({ description: 'Name of the user.', examples: ['Ann Archer'] }) },
      { description: 'Who locked it.' },
    ),
  },
  { title: 'lfs_lock' },
);

const next_cursor = Type.Optional(
  Type.String({ description: 'Where the next page begins; absent on the last one.', examples: ['107'] }),
);

export const LockAnswer = Type.Object({
  lock: Type.Unsafe<Static<typeof LfsLock>>({ ...LfsLock, description: 'The lock.' }),
});
export const LockList = Type.Object({
  locks: Type.Array(LfsLock, { description: 'The locks, in the order in which they were made.' }),
  next_cursor,
});
export const VerifiedLocks = Type.Object({
  ours: Type.Array(LfsLock, { description: 'Those of the caller.' }),
  theirs: Type.Array(LfsLock, { description: 'Those of others.' }),
  next_cursor,
});

const cursor = Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.', examples: ['107'] }));
const limit = Type.Optional(Type.Integer({ description: 'Locks on a page, at most 100.', examples: [100] }));

export const lockFilter = Type.Object({
  path: Type.Optional(Type.String({ description: 'Only the lock of this file.', examples: ['models/house.blend'] })),
  id: Type.Optional(Type.String({ description: 'Only the lock with this id.', examples: ['7'] })),
  cursor,
  limit,
  refspec: Type.Optional(Type.String({ description: 'The ref that the client is on.', examples: ['refs/heads/main'] })),
});
export const verifyRequest = Type.Object({ cursor, limit, ref: Type.Optional(Ref) });
export const lockRequest = Type.Object({
  path: Filled({ description: 'The file to lock.', examples: ['models/house.blend'] }),
  ref: Type.Optional(Ref),
});
export const unlockRequest = Type.Object({
  force: Type.Optional(Type.Boolean({ description: "Also somebody else's lock; for who maintains the project." })),
  ref: Type.Optional(Ref),
});
export const objectParams = {
  oid: Type.String({ description: 'SHA-256 of the object, hexadecimal.', examples: [OID] }),
};
export const announcedParams = {
  ...objectParams,
  size: Type.String({ description: 'Its bytes, as they were announced.', examples: ['1048576'] }),
};
export const lockParams = { lock_id: Type.String({ description: 'Id of the lock.', examples: ['7'] }) };
