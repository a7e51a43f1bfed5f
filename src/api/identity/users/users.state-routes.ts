import { type TSchema, Type } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { conflict } from '../../../core/core.errors.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { Nullable } from '../../../http/http.schema.ts';
import { onServer } from '../../api.access.ts';
import { destroyUser } from './users.destroy.ts';
import { userById } from './users.find.ts';
import { userId } from './users.inputs.ts';
import {
  activateUser,
  approveUser,
  banUser,
  blockUser,
  deactivateUser,
  unbanUser,
  unblockUser,
} from './users.state.ts';

const Done = Type.Boolean();
const Success = Type.Object({ message: Type.String() });

/** An endpoint for administrators that changes the state of a user. */
function stateRoute(
  verb: string,
  summary: string,
  schema: TSchema,
  change: (deps: Deps, caller: UserCaller, user: User) => Promise<unknown>,
  status: 200 | 201 = 201,
) {
  return route({
    method: 'POST',
    path: `/users/:id/${verb}`,
    summary,
    access: onServer('admin_users'),
    params: userId,
    success: { status, schema },
    errors: [403, 404, 409],
    handler: async ({ deps, caller, params }) => change(deps, caller, await userById(deps.db, params.id)),
  });
}

/** State changes of users: block, deactivate, ban, approve, and their opposites. */
export const userStateRoutes = [
  stateRoute('block', 'Block a user', Nullable(Done), (deps, caller, user) => blockUser(deps, caller.user, user)),
  stateRoute('unblock', 'Unblock a user', Done, (deps, _caller, user) => unblockUser(deps, user)),
  stateRoute('activate', 'Activate a deactivated user', Done, (deps, _caller, user) => activateUser(deps, user)),
  stateRoute('deactivate', 'Deactivate a dormant user', Done, (deps, _caller, user) => deactivateUser(deps, user)),
  stateRoute('ban', 'Ban a user', Done, (deps, caller, user) => banUser(deps, caller.user, user)),
  stateRoute('unban', 'Unban a user', Done, (deps, _caller, user) => unbanUser(deps, user)),
  stateRoute('approve', 'Approve a pending user', Success, (deps, _caller, user) => approveUser(deps, user)),
  stateRoute(
    'reject',
    'Reject and delete a pending user',
    Success,
    async (deps, caller, user) => {
      const refuse = ({ state }: User) => {
        if (state !== 'blocked_pending_approval') throw conflict('User does not have a pending request');
      };
      refuse(user);
      await destroyUser(deps, caller.user, user, true, refuse);
      return { message: 'Success' };
    },
    200,
  ),
];
