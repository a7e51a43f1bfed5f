import { Type } from 'typebox';
import { notFound } from '../../core/core.errors.ts';
import { type Route, route } from '../../http/http.route.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import { FaultAct, FaultInput, FaultMatch } from './fault-rule.ts';

const FAULTS = '/-/bench/faults';

const FaultEntity = Type.Object({
  id: Type.Integer({ description: 'Number of the rule.' }),
  match: FaultMatch,
  act: FaultAct,
  hits: Type.Integer({ description: 'How often it has acted.' }),
});

const FaultId = Type.Object({ fault_id: Type.Integer({ description: 'Number of the rule.' }) });

/** The faults that are ordered of the server. */
export const faultsRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'POST',
    path: FAULTS,
    summary: 'Order a fault of the test bench',
    description: 'The first rule that matches acts. An empty `match` is everything but the test bench itself.',
    input: FaultInput,
    success: { status: 201, schema: FaultEntity },
    errors: [400],
    handler: ({ bench, sent }) => bench.faults.add(sent),
  }),
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: FAULTS,
    summary: 'List the faults of the test bench',
    success: { status: 200, schema: Type.Array(FaultEntity) },
    handler: ({ bench }) => bench.faults.list(),
  }),
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: `${FAULTS}/:fault_id`,
    summary: 'Get a fault of the test bench',
    params: FaultId,
    success: { status: 200, schema: FaultEntity },
    errors: [404],
    handler: ({ bench, params }) => {
      const fault = bench.faults.get(params.fault_id);
      if (fault === undefined) throw notFound('Fault');
      return fault;
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'DELETE',
    path: `${FAULTS}/:fault_id`,
    summary: 'Delete a fault of the test bench',
    params: FaultId,
    success: { status: 204, empty: true },
    errors: [404],
    handler: ({ bench, params }) => {
      if (!bench.faults.remove(params.fault_id)) throw notFound('Fault');
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'DELETE',
    path: FAULTS,
    summary: 'Delete all faults of the test bench',
    success: { status: 204, empty: true },
    handler: ({ bench }) => bench.faults.clear(),
  }),
];
