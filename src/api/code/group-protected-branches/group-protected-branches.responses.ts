import { Type } from 'typebox';
import { ProtectedBranch } from '../protected-branches/protected-branches.responses.ts';

const { inherited: _, ...shown } = ProtectedBranch.properties;

/** A protected branch of a group. */
export const GroupProtectedBranchEntity = Type.Object(shown);
