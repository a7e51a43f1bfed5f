import type { Route } from '../http/http.route.ts';
import { clockRoutes } from './clock/clock.routes.ts';
import { deliveriesRoutes } from './deliveries/deliveries.routes.ts';
import { faultsRoutes } from './faults/faults.routes.ts';
import { idleRoutes } from './idle/idle.routes.ts';
import { benchJobsRoutes } from './jobs/bench-jobs.routes.ts';
import { mailsRoutes } from './mails/mails.routes.ts';
import { requestsRoutes } from './requests/requests.routes.ts';
import { seedRoutes } from './seed/seed.routes.ts';
import { snapshotRoutes } from './snapshots/bench-snapshots.routes.ts';

/** The addresses of the test bench. */
export const benchRoutes: readonly Route[] = [
  ...clockRoutes,
  ...faultsRoutes,
  ...requestsRoutes,
  ...mailsRoutes,
  ...deliveriesRoutes,
  ...idleRoutes,
  ...snapshotRoutes,
  ...seedRoutes,
  ...benchJobsRoutes,
];
