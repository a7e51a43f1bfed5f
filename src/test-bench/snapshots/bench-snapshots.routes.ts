import { Type } from 'typebox';
import { type Route, route } from '../../http/http.route.ts';
import { Instant } from '../../http/http.schema.ts';
import { refuseUnknownKeys } from '../strict-input.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';

const SnapshotEntity = Type.Object({
  name: Type.String({ description: 'Its name.' }),
  created_at: Instant({ description: "When it was taken, by the system's clock." }),
  bytes: Type.Integer({
    description: 'Bytes of database, repositories and blobs; files are shared with the instance.',
  }),
});

const NewSnapshot = Type.Object({
  name: Type.String({ description: 'Its name: letters, digits, `.`, `_` and `-`, up to 100.' }),
});

const NAME = Type.Object({ name: Type.String({ description: 'Name of the snapshot.' }) });

/** Snapshots of the instance, and the way back to what the seed made. */
export const snapshotRoutes: readonly Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'POST',
    path: '/-/bench/snapshots',
    summary: 'Take a snapshot',
    input: NewSnapshot,
    success: { status: 201, schema: SnapshotEntity },
    errors: [400, 409, 503],
    handler: ({ bench, input, sent }) => {
      refuseUnknownKeys(sent, NewSnapshot);
      return bench.snapshots.take(input.name);
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: '/-/bench/snapshots',
    summary: 'List snapshots',
    success: { status: 200, schema: Type.Array(SnapshotEntity) },
    handler: ({ bench }) => bench.snapshots.list(),
  }),
  route({
    ...BENCH_ROUTE,
    method: 'POST',
    path: '/-/bench/snapshots/:name/restore',
    summary: 'Restore a snapshot',
    params: NAME,
    success: { status: 200, schema: SnapshotEntity },
    errors: [404, 409, 503],
    handler: ({ bench, params }) => bench.snapshots.restore(params.name),
  }),
  route({
    ...BENCH_ROUTE,
    method: 'DELETE',
    path: '/-/bench/snapshots/:name',
    summary: 'Delete a snapshot',
    params: NAME,
    success: { status: 204, empty: true },
    errors: [404, 409],
    handler: ({ bench, params }) => bench.snapshots.remove(params.name),
  }),
  route({
    ...BENCH_ROUTE,
    method: 'POST',
    path: '/-/bench/reset',
    summary: 'Go back to what the seed made',
    success: { status: 204, empty: true },
    errors: [409, 503],
    handler: ({ bench }) => bench.snapshots.reset(),
  }),
];
