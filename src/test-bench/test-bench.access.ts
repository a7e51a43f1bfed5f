import { onServer } from '../api/api.access.ts';
import type { Access } from '../http/http.route.ts';
import { benchOf, type TestBench } from './test-bench.ts';

const administrator = onServer('use_test_bench');

/** Only the administrator steers the test bench; handlers get it as `bench`. */
const access: Access<{ bench: TestBench }> = {
  ...administrator,
  check: async (request) => ({ ...(await administrator.check(request)), bench: benchOf(request.deps) }),
};

/** What all routes of the test bench have in common: they are at the root, and also answer in maintenance. */
export const BENCH_ROUTE = { root: true, tag: 'Test bench', access, duringMaintenance: true } as const;
